package org.rmqref.oracle;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Reflection on whichever client is on the class path: names are the client's own. */
final class Client {
    private static final String ROOT = "org.apache.rocketmq.";

    private Client() {
    }

    /** The first of these classes that the release has. */
    static Class<?> type(String... names) {
        for (String name : names) {
            try {
                return Class.forName(ROOT + name);
            } catch (ClassNotFoundException absent) {
                continue;
            }
        }
        throw new IllegalStateException("the release has none of " + String.join(", ", names));
    }

    static boolean has(Class<?> type, String method) {
        for (Method own : type.getMethods()) {
            if (own.getName().equals(method)) {
                return true;
            }
        }
        return false;
    }

    static Object make(Class<?> type, Object... arguments) throws Exception {
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (constructor.getParameterCount() == arguments.length && fit(constructor.getParameterTypes(), arguments)) {
                try {
                    return open(constructor).newInstance(arguments);
                } catch (InvocationTargetException thrown) {
                    throw cause(thrown);
                }
            }
        }
        throw new NoSuchMethodException(type + " has no constructor of " + arguments.length + " arguments");
    }

    /** Calls the method of that name and number of parameters whose parameters the arguments fit. */
    static Object call(Object of, String name, Object... arguments) throws Exception {
        return callOf(of.getClass(), of, name, arguments);
    }

    static Object callOf(Class<?> start, Object of, String name, Object... arguments) throws Exception {
        for (Class<?> type = start; type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getName().equals(name) && !method.isBridge() && method.getParameterCount() == arguments.length
                    && fit(method.getParameterTypes(), arguments)) {
                    return invoke(open(method), of, arguments);
                }
            }
        }
        throw new NoSuchMethodException(start + "#" + name + " of " + arguments.length + " arguments");
    }

    static Object invoke(Method method, Object of, Object... arguments) throws Exception {
        try {
            return method.invoke(of, arguments);
        } catch (InvocationTargetException thrown) {
            throw cause(thrown);
        }
    }

    static Object get(Object of, String... names) throws Exception {
        return field(of, names).get(of);
    }

    static void set(Object of, String name, Object value) throws Exception {
        field(of, name).set(of, value);
    }

    private static Field field(Object of, String... names) throws Exception {
        for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
            for (String name : names) {
                try {
                    return open(type.getDeclaredField(name));
                } catch (NoSuchFieldException absent) {
                    continue;
                }
            }
        }
        throw new NoSuchFieldException(of.getClass() + " has none of " + String.join(", ", names));
    }

    static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static Object constant(Class<?> type, String name) {
        return Enum.valueOf((Class) type, name);
    }

    private static Exception cause(InvocationTargetException thrown) {
        Throwable cause = thrown.getCause();
        return cause instanceof Exception ? (Exception) cause : new IllegalStateException(cause);
    }

    static <T extends AccessibleObject> T open(T member) {
        member.setAccessible(true);
        return member;
    }

    private static boolean fit(Class<?>[] types, Object[] arguments) {
        for (int at = 0; at < types.length; at++) {
            Object argument = arguments[at];
            if (types[at].isPrimitive() ? argument == null || !boxed(types[at]).isInstance(argument)
                : argument != null && !types[at].isInstance(argument)) {
                return false;
            }
        }
        return true;
    }

    private static Class<?> boxed(Class<?> primitive) {
        return java.lang.invoke.MethodType.methodType(primitive).wrap().returnType();
    }
}
