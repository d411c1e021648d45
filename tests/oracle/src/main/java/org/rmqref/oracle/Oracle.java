package org.rmqref.oracle;

import static org.rmqref.oracle.Client.call;
import static org.rmqref.oracle.Client.callOf;
import static org.rmqref.oracle.Client.get;
import static org.rmqref.oracle.Client.has;
import static org.rmqref.oracle.Client.make;
import static org.rmqref.oracle.Client.set;
import static org.rmqref.oracle.Client.type;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Answers cases with the classes of the client that is on the class path.
 *
 * <p>A line of the input is {@code {"kind", "input"}}; the line of the output beside it is what Java answered, or
 * {@code {"not asked": reason}} where the release has no operation for the case.
 */
public final class Oracle {
    private static final Class<?> QUEUE = type("common.message.MessageQueue");
    private static final Class<?> MESSAGE = type("common.message.Message");
    private static final Class<?> TOPIC = type("client.impl.producer.TopicPublishInfo");
    private static final Class<?> STRATEGY = type("client.latency.MQFaultStrategy");
    private static final Class<?> TOLERANCE = type("client.latency.LatencyFaultTolerance");
    private static final Class<?> TABLE = type("client.latency.LatencyFaultToleranceImpl");
    private static final boolean HAS_REACHABLE = has(TOLERANCE, "isReachable");
    private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

    private Oracle() {
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonObject asked = JsonParser.parseString(line).getAsJsonObject();
            Seam.reset();
            out.println(GSON.toJson(answer(asked.get("kind").getAsString(), asked.getAsJsonObject("input"))));
        }
        out.flush();
        System.exit(0); // threads that a client may have started do not keep it
    }

    private static JsonElement answer(String kind, JsonObject given) throws Exception {
        try {
            switch (kind) {
                case "index":
                    return index(given);
                case "first_pick":
                    return picks(given, (topic, last) -> call(topic, "selectOneMessageQueue"));
                case "retry_pick":
                    return picks(given, (topic, last) -> Client.invoke(TOPIC.getMethod("selectOneMessageQueue", String.class), topic, last));
                case "duration":
                    return duration(given);
                case "fault_table":
                case "detector":
                    return faultTable(given);
                case "fault_pick":
                    return faultPick(given);
                case "pick_one_at_least":
                case "pick_ties":
                    return pickOneAtLeast(given);
                case "route":
                    return route(given);
                case "selectors":
                    return selectors(given);
                case "send_loop":
                    return sendLoop(given);
                default:
                    return object("not asked", new JsonPrimitive("no such kind"));
            }
        } catch (Absent absent) {
            return object("not asked", new JsonPrimitive(absent.getMessage()));
        }
    }

    // ---------------------------------------------------------------------------------------------------- the counter

    private static JsonElement index(JsonObject given) throws Exception {
        script(given);
        Object counter = make(type("client.common.ThreadLocalIndex"));
        store(counter, given.get("start"));
        String step = has(counter.getClass(), "incrementAndGet") ? "incrementAndGet" : "getAndIncrement"; // to 4.7.1
        JsonArray returned = new JsonArray();
        JsonArray stored = new JsonArray();
        for (char op : given.get("ops").getAsString().toCharArray()) {
            if (op == 'n') {
                returned.add((Integer) call(counter, step));
            } else if (has(counter.getClass(), "reset")) {
                call(counter, "reset");
            } else {
                throw new Absent("no reset");
            }
            stored.add(stored(counter));
        }
        return object("returned", returned, "stored", stored);
    }

    @SuppressWarnings("unchecked")
    private static void store(Object counter, JsonElement value) throws Exception {
        if (!value.isJsonNull()) {
            ((ThreadLocal<Integer>) get(counter, "threadLocalIndex")).set(value.getAsInt());
        }
    }

    private static JsonElement stored(Object counter) throws Exception {
        Integer value = (Integer) ((ThreadLocal<?>) get(counter, "threadLocalIndex")).get();
        return value == null ? JsonNull.INSTANCE : new JsonPrimitive(value);
    }

    private static void script(JsonObject given) {
        if (given.has("random") && !given.get("random").isJsonNull()) {
            given.getAsJsonArray("random").forEach(value -> Seam.scripted.add(value.getAsInt()));
        }
    }

    // ------------------------------------------------------------------------------------------------------ the picks

    /** A pick for a topic after a broker. */
    private interface Pick {
        Object of(Object topic, Object last) throws Exception;
    }

    private static JsonElement picks(JsonObject given, Pick pick) throws Exception {
        script(given);
        Object topic = topic(given, null);
        JsonArray picks = new JsonArray();
        Object last = text(given, "last");
        for (int left = given.get("calls").getAsInt(); left > 0; left--) {
            picks.add(pickedBy(pick, topic, last, null));
            last = next(given, last, picks);
        }
        return object("picks", picks, "index_after", stored(call(topic, "getSendWhichQueue")));
    }

    private static JsonElement pickedBy(Pick pick, Object topic, Object last, JsonArray positions) throws Exception {
        Object queue;
        try {
            queue = pick.of(topic, last);
        } catch (RuntimeException thrown) {
            if (positions != null) {
                positions.add(-1);
            }
            return object("error", name(thrown));
        }
        if (positions != null) {
            positions.add(place((List<?>) call(topic, "getMessageQueueList"), queue));
        }
        return pair(queue);
    }

    private static int place(List<?> queues, Object queue) {
        for (int at = 0; at < queues.size(); at++) {
            if (queues.get(at) == queue) {
                return at;
            }
        }
        return -1;
    }

    private static Object next(JsonObject given, Object last, JsonArray picks) {
        JsonElement picked = picks.get(picks.size() - 1);
        boolean chains = given.has("chain") && given.get("chain").getAsBoolean();
        return chains && picked.isJsonArray() ? picked.getAsJsonArray().get(0).getAsString() : last;
    }

    private static Object topic(JsonObject given, JsonElement route) throws Exception {
        Object topic = make(TOPIC);
        call(topic, "setMessageQueueList", queues(given));
        store(call(topic, "getSendWhichQueue"), given.get("start"));
        if (route != null && !route.isJsonNull()) {
            call(topic, "setTopicRouteData", routeData(route.getAsJsonObject()));
        }
        return topic;
    }

    private static List<Object> queues(JsonObject given) throws Exception {
        List<Object> queues = new ArrayList<>();
        for (JsonElement pair : given.getAsJsonArray("queues")) {
            JsonArray queue = pair.getAsJsonArray();
            queues.add(make(QUEUE, "T", queue.get(0).getAsString(), queue.get(1).getAsInt()));
        }
        return queues;
    }

    private static JsonElement pair(Object queue) throws Exception {
        if (queue == null) {
            return JsonNull.INSTANCE;
        }
        JsonArray pair = new JsonArray();
        pair.add((String) call(queue, "getBrokerName"));
        pair.add((Integer) call(queue, "getQueueId"));
        return pair;
    }

    private static JsonArray pairs(List<?> queues) throws Exception {
        JsonArray pairs = new JsonArray();
        for (Object queue : queues) {
            pairs.add(pair(queue));
        }
        return pairs;
    }

    // ------------------------------------------------------------------------------------------------ the fault table

    private static Object strategy(Object resolver, Object detector) throws Exception {
        if (!HAS_REACHABLE) {
            return make(STRATEGY);
        }
        return make(STRATEGY, make(type("client.ClientConfig")), resolver, detector);
    }

    private static Object strategy() throws Exception {
        return strategy(null, null);
    }

    private static Object tolerance(Object strategy) throws Exception {
        return get(strategy, "latencyFaultTolerance");
    }

    /** Hears what a strategy tells its fault table, and hands it on if there is one. */
    private static Object listening(Object table, List<Object[]> heard) {
        return Client.proxy(TOLERANCE, (proxy, method, arguments) -> {
            if (method.getName().equals("updateFaultItem")) {
                heard.add(arguments);
            }
            if (table != null) {
                return call(table, method.getName(), arguments == null ? new Object[0] : arguments);
            }
            return method.getReturnType() == boolean.class ? Boolean.FALSE : null;
        });
    }

    private static JsonElement duration(JsonObject given) throws Exception {
        Object strategy = strategy();
        List<Object[]> heard = new ArrayList<>();
        set(strategy, "latencyFaultTolerance", listening(null, heard));
        boolean enabled = !given.has("enabled") || given.get("enabled").getAsBoolean();
        call(strategy, "setSendLatencyFaultEnable", enabled);
        if (given.has("latency_max")) {
            call(strategy, "setLatencyMax", longs(given.getAsJsonArray("latency_max")));
        }
        if (given.has("not_available_duration")) {
            call(strategy, "setNotAvailableDuration", longs(given.getAsJsonArray("not_available_duration")));
        }
        try {
            tell(strategy, "b", given.get("latency").getAsLong(), given.get("isolation").getAsBoolean(), true);
        } catch (RuntimeException thrown) {
            return object("error", name(thrown));
        }
        JsonElement duration = JsonNull.INSTANCE;
        JsonElement latency = JsonNull.INSTANCE;
        if (!heard.isEmpty()) {
            latency = new JsonPrimitive((Long) heard.get(0)[1]);
            duration = new JsonPrimitive((Long) heard.get(0)[2]);
        }
        return object("duration", duration, "latency_kept", latency);
    }

    private static void tell(Object strategy, String name, long latency, boolean isolation, boolean reachable)
        throws Exception {
        if (HAS_REACHABLE) {
            call(strategy, "updateFaultItem", name, latency, isolation, reachable);
        } else {
            call(strategy, "updateFaultItem", name, latency, isolation);
        }
    }

    private static long[] longs(JsonArray given) {
        long[] values = new long[given.size()];
        for (int at = 0; at < values.length; at++) {
            values[at] = given.get(at).getAsLong();
        }
        return values;
    }

    private static JsonElement faultTable(JsonObject given) throws Exception {
        JsonObject addresses = given.has("addresses") ? given.getAsJsonObject("addresses") : new JsonObject();
        Set<String> up = new HashSet<>();
        TreeMap<String, JsonArray> probes = new TreeMap<>();
        Object resolver = null;
        Object detector = null;
        if (HAS_REACHABLE) {
            resolver = Client.proxy(type("client.latency.Resolver"),
                (proxy, method, arguments) -> text(addresses, (String) arguments[0]));
            if (!given.has("no_detector") || !given.get("no_detector").getAsBoolean()) {
                detector = Client.proxy(type("client.latency.ServiceDetector"), (proxy, method, arguments) -> {
                    JsonArray probe = new JsonArray();
                    probe.add((String) arguments[0]);
                    probe.add((Long) arguments[1]);
                    probes.put(arguments[0] + " " + probes.size(), probe);
                    return up.contains(arguments[0]);
                });
            }
        }
        Object strategy = strategy(resolver, detector);
        call(strategy, "setSendLatencyFaultEnable", true);
        Object table = tolerance(strategy);
        JsonArray results = new JsonArray();
        for (JsonElement element : given.getAsJsonArray("ops")) {
            JsonObject op = element.getAsJsonObject();
            Seam.now = op.get("at").getAsLong();
            String name = (String) text(op, "name");
            boolean reachable = !op.has("reachable") || op.get("reachable").getAsBoolean();
            switch (op.get("op").getAsString()) {
                case "update":
                    long latency = op.get("latency").getAsLong();
                    long duration = op.get("duration").getAsLong();
                    if (HAS_REACHABLE) {
                        call(table, "updateFaultItem", name, latency, duration, reachable);
                    } else {
                        call(table, "updateFaultItem", name, latency, duration);
                    }
                    break;
                case "strategy_update":
                    tell(strategy, name, op.get("latency").getAsLong(), op.get("isolation").getAsBoolean(), reachable);
                    break;
                case "available":
                    results.add((Boolean) call(table, "isAvailable", name));
                    break;
                case "reachable":
                    needReachable();
                    results.add((Boolean) call(table, "isReachable", name));
                    break;
                case "remove":
                    call(table, "remove", name);
                    break;
                case "set_up":
                    up.clear();
                    op.getAsJsonArray("addresses").forEach(address -> up.add(address.getAsString()));
                    break;
                case "detect":
                    needReachable();
                    probes.clear();
                    call(table, "detectByOneRound");
                    JsonArray found = new JsonArray();
                    probes.values().forEach(found::add);
                    results.add(found);
                    break;
                default:
                    throw new Absent("no such operation");
            }
        }
        return object("results", results, "table_after", tableAfter(table));
    }

    private static void needReachable() {
        if (!HAS_REACHABLE) {
            throw new Absent("nothing is reachable or not");
        }
    }

    private static JsonArray tableAfter(Object table) throws Exception {
        JsonArray items = new JsonArray();
        for (Map.Entry<?, ?> entry : new TreeMap<>((Map<?, ?>) get(table, "faultItemTable")).entrySet()) {
            Object item = entry.getValue();
            JsonObject told = object("name", get(item, "name"), "latency", get(item, "currentLatency"),
                "available_from", get(item, "startTimestamp"));
            if (HAS_REACHABLE) {
                told.add("reachable", GSON.toJsonTree(get(item, "reachableFlag")));
            }
            items.add(told);
        }
        return items;
    }

    @SuppressWarnings("unchecked")
    private static void fill(Object table, JsonArray faults, JsonElement worst) throws Exception {
        Map<Object, Object> items = (Map<Object, Object>) get(table, "faultItemTable");
        for (JsonElement element : faults) {
            JsonObject fault = element.getAsJsonObject();
            String name = fault.get("name").getAsString();
            Object item = make(type("client.latency.LatencyFaultToleranceImpl$FaultItem"), table, name);
            set(item, "currentLatency", fault.get("latency").getAsLong());
            set(item, "startTimestamp", fault.get("available_from").getAsLong());
            if (HAS_REACHABLE) {
                set(item, "reachableFlag", !fault.has("reachable") || fault.get("reachable").getAsBoolean());
            }
            items.put(name, item);
        }
        store(worst(table), worst);
    }

    private static Object worst(Object table) throws Exception {
        return get(table, "whichItemWorst", "randomItem");
    }

    private static JsonElement faultPick(JsonObject given) throws Exception {
        script(given);
        Seam.now = given.get("now").getAsLong();
        Object topic = topic(given, given.get("route"));
        Object strategy = strategy();
        Object table = tolerance(strategy);
        call(strategy, "setSendLatencyFaultEnable", !given.has("enabled") || given.get("enabled").getAsBoolean());
        fill(table, given.getAsJsonArray("faults"), given.get("worst_start"));
        boolean resets = given.has("reset_index") && given.get("reset_index").getAsBoolean();
        Pick pick = (ofTopic, last) -> HAS_REACHABLE
            ? call(strategy, "selectOneMessageQueue", ofTopic, last, resets)
            : call(strategy, "selectOneMessageQueue", ofTopic, last);
        JsonArray picks = new JsonArray();
        JsonArray positions = new JsonArray();
        Object last = text(given, "last");
        for (int left = given.get("calls").getAsInt(); left > 0; left--) {
            picks.add(pickedBy(pick, topic, last, positions));
            last = next(given, last, picks);
        }
        return object("picks", picks, "picked_position", positions,
            "queues_after", pairs((List<?>) call(topic, "getMessageQueueList")), "table_after", tableAfter(table),
            "index_after", stored(call(topic, "getSendWhichQueue")), "worst_after", stored(worst(table)),
            "errors_logged", Seam.errorsLogged);
    }

    private static JsonElement pickOneAtLeast(JsonObject given) throws Exception {
        Seam.now = given.get("now").getAsLong();
        Object table = tolerance(strategy());
        fill(table, given.getAsJsonArray("faults"), given.get("worst_start"));
        JsonArray names = new JsonArray();
        for (int left = given.get("calls").getAsInt(); left > 0; left--) {
            try {
                names.add((String) call(table, "pickOneAtLeast"));
            } catch (RuntimeException thrown) {
                names.add(object("error", name(thrown)));
            }
        }
        return object("names", names, "worst_after", stored(worst(table)));
    }

    // ---------------------------------------------------------------------------------------------- routes, selectors

    private static Class<?> routeType(String name) {
        return type("remoting.protocol.route." + name, "common.protocol.route." + name);
    }

    private static Object routeData(JsonObject given) throws Exception {
        Object route = make(routeType("TopicRouteData"));
        List<Object> queueDatas = new ArrayList<>();
        for (JsonElement element : given.getAsJsonArray("queue_datas")) {
            JsonObject data = element.getAsJsonObject();
            Object queueData = make(routeType("QueueData"));
            call(queueData, "setBrokerName", data.get("broker").getAsString());
            call(queueData, "setWriteQueueNums", data.get("write").getAsInt());
            call(queueData, "setReadQueueNums", data.has("read") ? data.get("read").getAsInt() : 4);
            call(queueData, "setPerm", data.get("perm").getAsInt());
            queueDatas.add(queueData);
        }
        List<Object> brokerDatas = new ArrayList<>();
        if (given.has("broker_datas")) {
            for (JsonElement element : given.getAsJsonArray("broker_datas")) {
                JsonObject data = element.getAsJsonObject();
                HashMap<Long, String> addresses = new HashMap<>();
                data.getAsJsonObject("addrs").entrySet()
                    .forEach(entry -> addresses.put(Long.valueOf(entry.getKey()), entry.getValue().getAsString()));
                Object brokerData = make(routeType("BrokerData"));
                call(brokerData, "setBrokerName", data.get("broker").getAsString());
                call(brokerData, "setBrokerAddrs", addresses);
                brokerDatas.add(brokerData);
            }
        }
        call(route, "setQueueDatas", queueDatas);
        call(route, "setBrokerDatas", brokerDatas);
        call(route, "setOrderTopicConf", text(given, "order_topic_conf"));
        return route;
    }

    private static JsonElement route(JsonObject given) throws Exception {
        Object route = routeData(given.getAsJsonObject("route"));
        JsonObject answer;
        try {
            Object topic = callOf(type("client.impl.factory.MQClientInstance"), null, "topicRouteData2TopicPublishInfo", "T",
                route);
            answer = object("queues", pairs((List<?>) call(topic, "getMessageQueueList")), "order_topic",
                call(topic, "isOrderTopic"));
        } catch (RuntimeException thrown) {
            answer = object("error", name(thrown));
        }
        JsonArray order = new JsonArray();
        for (Object data : (List<?>) call(route, "getQueueDatas")) {
            order.add((String) call(data, "getBrokerName"));
        }
        answer.add("queue_data_order_after", order);
        return answer;
    }

    private static JsonElement selectors(JsonObject given) throws Exception {
        Map<String, String[]> names = new HashMap<>();
        names.put("hash", new String[] {"SelectMessageQueueByHash"});
        names.put("random", new String[] {"SelectMessageQueueByRandom", "SelectMessageQueueByRandoom"});
        names.put("machine_room", new String[] {"SelectMessageQueueByMachineRoom"});
        String kind = given.get("selector").getAsString();
        String[] own = names.get(kind).clone();
        for (int at = 0; at < own.length; at++) {
            own[at] = "client.producer.selector." + own[at];
        }
        Object selector = make(type(own));
        if (kind.equals("random")) {
            long seed = given.has("java_random_seed") ? given.get("java_random_seed").getAsLong() : 0;
            set(selector, "random", new Random(seed));
        }
        Object argument = argument(given.get("arg"));
        List<Object> queues = queues(given);
        JsonArray picks = new JsonArray();
        for (int left = given.has("calls") ? given.get("calls").getAsInt() : 1; left > 0; left--) {
            try {
                picks.add(pair(call(selector, "select", queues, make(MESSAGE, "T", new byte[0]), argument)));
            } catch (RuntimeException thrown) {
                picks.add(object("error", name(thrown)));
            }
        }
        JsonObject answer = object("picks", picks);
        if (argument != null) {
            answer.addProperty("java_hash", argument.hashCode());
        }
        return answer;
    }

    private static Object argument(JsonElement given) {
        if (given == null || given.isJsonNull()) {
            return null;
        }
        JsonPrimitive value = given.getAsJsonObject().getAsJsonPrimitive("value");
        switch (given.getAsJsonObject().get("type").getAsString()) {
            case "int":
                return value.getAsInt();
            case "long":
                return value.getAsLong();
            case "bool":
                return value.getAsBoolean();
            case "double":
                return value.getAsDouble();
            default:
                return value.getAsString();
        }
    }

    // ------------------------------------------------------------------------------------------------------- the send

    private static JsonElement sendLoop(JsonObject given) throws Exception {
        script(given);
        Seam.now = given.get("now").getAsLong();
        Object topic = topic(given, given.get("route"));
        Object producer = make(type("client.producer.DefaultMQProducer"), "oracle");
        Object implementation = get(producer, "defaultMQProducerImpl");
        set(implementation, "serviceState", Client.constant(type("common.ServiceState"), "RUNNING"));
        configure(producer, given);
        Object strategy = get(implementation, "mqFaultStrategy");
        Object table = tolerance(strategy);
        List<Object[]> heard = new ArrayList<>();
        fill(table, given.getAsJsonArray("faults"), given.get("worst_start"));
        set(strategy, "latencyFaultTolerance", listening(table, heard));
        call(strategy, "setSendLatencyFaultEnable", given.get("fault_enabled").getAsBoolean());
        if (HAS_REACHABLE) {
            call(strategy, "setStartDetectorEnable",
                given.has("detector_enabled") && given.get("detector_enabled").getAsBoolean());
        }
        put(get(implementation, "topicPublishInfoTable"), topic);
        JsonArray attempts = new JsonArray();
        JsonArray answers = given.getAsJsonArray("script");
        Seam.kernel = (queue, timeout) -> {
            JsonObject answer = answers.get(attempts.size()).getAsJsonObject();
            attempts.add(object("queue", pair(queue), "timeout", timeout));
            Seam.now += answer.get("cost").getAsLong();
            return answered(answer, queue, attempts.size());
        };
        JsonObject outcome = new JsonObject();
        try {
            Object mode = Client.constant(type("client.impl.CommunicationMode"), given.get("mode").getAsString());
            Object message = make(MESSAGE, "T", "body".getBytes(StandardCharsets.UTF_8));
            Object result = call(implementation, "sendDefaultImpl", message, mode, null,
                given.get("timeout").getAsLong());
            outcome.add("result", JsonNull.INSTANCE);
            if (result != null) {
                outcome.addProperty("result", String.valueOf(call(result, "getSendStatus")));
                outcome.addProperty("of_attempt", Integer.valueOf((String) call(result, "getMsgId")));
            }
        } catch (Exception thrown) {
            outcome.addProperty("throw", thrown.getClass().getSimpleName());
            if (has(thrown.getClass(), "getResponseCode")) {
                outcome.addProperty("code", (Integer) call(thrown, "getResponseCode"));
            }
            if (thrown.getCause() != null) {
                outcome.addProperty("cause", thrown.getCause().getClass().getSimpleName());
            }
        }
        return object("attempts", attempts, "outcome", outcome, "updates", updates(heard), "table_after",
            tableAfter(table), "index_after", stored(call(topic, "getSendWhichQueue")), "clock_after", Seam.now);
    }

    private static void configure(Object producer, JsonObject given) throws Exception {
        call(producer, "setRetryTimesWhenSendFailed", given.get("retry_times").getAsInt());
        if (given.has("retry_another") && given.get("retry_another").getAsBoolean()) {
            call(producer, "setRetryAnotherBrokerWhenNotStoreOK", true);
        }
        if (given.has("extra_retry_codes") && given.getAsJsonArray("extra_retry_codes").size() > 0) {
            need(producer, "addRetryResponseCode");
            for (JsonElement code : given.getAsJsonArray("extra_retry_codes")) {
                call(producer, "addRetryResponseCode", code.getAsInt());
            }
        }
        if (given.has("max_timeout_per_request") && given.get("max_timeout_per_request").getAsInt() >= 0) {
            need(producer, "setSendMsgMaxTimeoutPerRequest");
            call(producer, "setSendMsgMaxTimeoutPerRequest", given.get("max_timeout_per_request").getAsInt());
        }
    }

    private static void need(Object of, String method) {
        if (!has(of.getClass(), method)) {
            throw new Absent("no " + method);
        }
    }

    @SuppressWarnings("unchecked")
    private static void put(Object table, Object topic) {
        ((Map<Object, Object>) table).put("T", topic);
    }

    private static Object answered(JsonObject answer, Object queue, int attempt) throws Exception {
        if (answer.has("throw")) {
            throw thrownBy(answer);
        }
        if (answer.get("result").isJsonNull()) {
            return null;
        }
        Object result = make(type("client.producer.SendResult"));
        call(result, "setSendStatus",
            Client.constant(type("client.producer.SendStatus"), answer.get("result").getAsString()));
        call(result, "setMessageQueue", queue);
        call(result, "setMsgId", String.valueOf(attempt));
        return result;
    }

    private static Exception thrownBy(JsonObject answer) throws Exception {
        String name = answer.get("throw").getAsString();
        if (name.equals("InterruptedException")) {
            return new InterruptedException("scripted");
        }
        if (name.equals("MQBrokerException")) {
            return (Exception) make(type("client.exception." + name), answer.get("code").getAsInt(), "scripted");
        }
        if (name.equals("MQClientException")) {
            return (Exception) type("client.exception." + name).getConstructor(String.class, Throwable.class)
                .newInstance("scripted", null);
        }
        return (Exception) make(type("remoting.exception." + name), "scripted");
    }

    private static JsonArray updates(List<Object[]> heard) {
        JsonArray updates = new JsonArray();
        for (Object[] arguments : heard) {
            JsonObject update = object("name", arguments[0], "latency", arguments[1], "duration", arguments[2]);
            if (HAS_REACHABLE) {
                update.add("reachable", GSON.toJsonTree(arguments[3]));
            }
            updates.add(update);
        }
        return updates;
    }

    // ----------------------------------------------------------------------------------------------------- small things

    /** The release has no operation for a case. */
    private static final class Absent extends RuntimeException {
        Absent(String what) {
            super(what);
        }
    }

    private static JsonObject object(Object... namesAndValues) {
        JsonObject object = new JsonObject();
        for (int at = 0; at < namesAndValues.length; at += 2) {
            Object value = namesAndValues[at + 1];
            object.add((String) namesAndValues[at],
                value instanceof JsonElement ? (JsonElement) value : GSON.toJsonTree(value));
        }
        return object;
    }

    private static Object text(JsonObject of, String name) {
        return !of.has(name) || of.get(name).isJsonNull() ? null : of.get(name).getAsString();
    }

    private static String name(Exception thrown) {
        return thrown.getClass().getSimpleName();
    }
}
