-- The events of the helpers' calls in ClickHouse: https://clickhouse.com. Each line that a helper gives to the log of the system is a row of JSON, to
-- which whoever collects it adds the machine:
--   {"machine":"pc-7","time":1790000000000,"helper":"aws-bedrock-token","version":"1.2.3","outcome":"late",…}
-- clickhouse-client --input_format_skip_unknown_fields=1 --query "INSERT INTO gatepass_events FORMAT JSONEachRow" < events.ndjson

CREATE TABLE gatepass_events (
    machine String, time UInt64, helper String, version String, context String, refresh String, format String, outcome String, status UInt8,
    ms UInt32, origin String, source String, mintMs UInt32, late String, cached UInt32, lost UInt32
) ENGINE = MergeTree PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000))) ORDER BY (outcome, source, time);

-- Calls of an hour: each row with an outcome is one, and each count of calls from the cache as many as it says.
SELECT toStartOfHour(toDateTime(intDiv(time, 1000))) AS hour, countIf(outcome != '') + sum(cached) AS calls,
    countIf(outcome NOT IN ('', 'success')) AS failed, sum(lost) AS lost_calls
FROM gatepass_events GROUP BY hour ORDER BY hour;

-- Failures by cause: on how many machines, and since when.
SELECT outcome, source, helper, count() AS calls, uniq(machine) AS machines, toDateTime(intDiv(min(time), 1000)) AS since
FROM gatepass_events WHERE outcome NOT IN ('', 'success') GROUP BY outcome, source, helper ORDER BY machines DESC, calls DESC;

-- Machines whose last call failed.
SELECT machine, helper, argMax(outcome, time) AS latest, toDateTime(intDiv(max(time), 1000)) AS seen
FROM gatepass_events WHERE outcome != '' GROUP BY machine, helper HAVING latest != 'success' ORDER BY seen DESC LIMIT 100;

-- How long new tokens take, by source.
SELECT source, count() AS mints, quantile(0.5)(mintMs) AS median, quantile(0.95)(mintMs) AS one_of_twenty
FROM gatepass_events WHERE mintMs > 0 GROUP BY source ORDER BY source;

-- The stage in which a late call waited at its deadline.
SELECT late, source, count() AS calls, uniq(machine) AS machines FROM gatepass_events WHERE late != '' GROUP BY late, source ORDER BY calls DESC;

-- Tokens that were kept because the source did not answer, by quarter of an hour: an outage that nobody has felt yet.
SELECT toStartOfFifteenMinutes(toDateTime(intDiv(time, 1000))) AS at, source, count() AS calls, uniq(machine) AS machines
FROM gatepass_events WHERE origin = 'kept' GROUP BY at, source ORDER BY at, source;

-- Versions by machine, the newest that each has reported.
SELECT latest, count() AS machines FROM
    (SELECT machine, argMax(version, time) AS latest FROM gatepass_events WHERE version != '' GROUP BY machine) GROUP BY latest ORDER BY machines DESC;
