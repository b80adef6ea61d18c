/**
 * What `gatepass/client` exports: the stand-in for the client and the check of a helper, for other people's test suites.
 * The one file that only names what others define, because a package needs one door, and what is behind it may move.
 */
export { type CheckOptions, type CheckReport, checkHelper } from './check/check-helper.ts'
export type { RuleVerdict } from './check/judge-rules.ts'
export type { Client, ClientSettings, ClientWorld, Session } from './client.ts'
export type { ClientEvent, ClientHappening, RunCause, TurnFailure } from './client-event.ts'
export type { ConsentAnswer, Person } from './consent.ts'
export type { SessionContext } from './credential-source.ts'
export type { HelperRun, RunReason } from './run-credential-helper.ts'
export { startClient } from './start-client.ts'
