import { expect, test } from 'vitest'
import { nine, outcomeOf, readRecord } from '../report/sample-logs.ts'

const text = JSON.stringify(outcomeOf())

test.each([
  ['the traditional format', `Mar  2 10:00:00 pc-1 gatepass: ${text}`, 'pc-1'],
  ['the same with a process', `Mar 12 10:00:00 pc-1.corp.example gatepass[123]: ${text}\r`, 'pc-1.corp.example'],
  ['the same with microseconds', `Mar  2 10:00:00.123456 pc-1 gatepass[123]: ${text}`, 'pc-1'],
  ['times of RFC 3339', `2026-03-02T10:00:00.123456+01:00 pc-1 gatepass: ${text}`, 'pc-1'],
  ['journalctl -o short-iso', `2026-03-02T09:00:00+0000 pc-1 gatepass[123]: ${text}`, 'pc-1'],
  ['a priority', `<13>Mar  2 10:00:00 pc-1 gatepass: ${text}`, 'pc-1'],
  ['RFC 5424', `<13>1 2026-03-02T09:00:00.123Z pc-1 gatepass 123 - [timeQuality tzKnown="1"] ${text}`, 'pc-1'],
  ['RFC 5424 without a host', `<13>1 2026-03-02T09:00:00Z - gatepass - - - ${text}`, undefined],
])('a line of syslog in %s is a call of its host', async (_what, line, machine) => {
  expect(await readRecord(line)).toEqual({
    kind: 'call',
    machine,
    unique: 'anywhere',
    call: {
      time: nine,
      helper: 'aws-bedrock-token',
      outcome: 'success',
      count: 1,
      version: '0.2.0',
      ms: 33,
      context: 'interactive',
      origin: 'cache',
    },
  })
})

test.each([
  ['of another program', `Mar  2 10:00:00 pc-1 sshd[1]: ${text}`, { kind: 'other' }],
  ['of a program with our name in its own', `Mar  2 10:00:00 pc-1 gatepass-x[1]: ${text}`, { kind: 'other' }],
  ['of ours without a call', 'Mar  2 10:00:00 pc-1 gatepass: Started.', { kind: 'other' }],
  ['between two boots', '-- Boot 0123456789abcdef0123456789abcdef --', { kind: 'other' }],
  ['that goes on with the message above', `${' '.repeat(30)}at main`, { kind: 'other' }],
  ['that is cut off', `Mar  2 10:00:00 pc-1 gatepass: ${text.slice(0, -2)}`, { kind: 'unreadable' }],
  ['without a host', `Mar  2 10:00:00 gatepass: ${text}`, { kind: 'unreadable' }],
  ['of an unknown form', 'canary', { kind: 'unreadable' }],
])('a line %s is not a record', async (_what, line, record) => {
  expect(await readRecord(line)).toEqual(record)
})
