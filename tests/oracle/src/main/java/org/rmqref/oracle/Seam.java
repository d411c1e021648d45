package org.rmqref.oracle;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/** What the client's classes call instead of the clock, chance, the strategy's log and the network. */
public final class Seam {
    /** Answers an attempt of a send. */
    interface Kernel {
        Object send(Object queue, long timeout) throws Exception;
    }

    static long now;
    static final Deque<Integer> scripted = new ArrayDeque<>();
    static int errorsLogged;
    static Kernel kernel;

    private Seam() {
    }

    static void reset() {
        now = 0;
        scripted.clear();
        errorsLogged = 0;
        kernel = null;
    }

    public static long currentTimeMillis() {
        return now;
    }

    public static int nextInt(Random random) {
        return scripted.isEmpty() ? random.nextInt() : scripted.pop();
    }

    public static int nextInt(Random random, int bound) {
        return scripted.isEmpty() ? random.nextInt(bound) : scripted.pop();
    }

    public static void error(Object log, String message, Throwable thrown) {
        errorsLogged++;
    }

    public static Object sendKernel(Object queue, long timeout) throws Exception {
        return kernel.send(queue, timeout);
    }
}
