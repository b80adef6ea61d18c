// Folder: the exports of the package. Its files only name what others define, so that the others can move without a change for users.

// The exports of `gatepass/client`: the stand-in for the client and the check of a helper, for other people's test suites.

export { type CheckReport, checkHelper } from '../client/check/check-helper.ts'
export type { CheckOptions, CheckProgress } from '../client/check/check-options.ts'
export type { RuleVerdict } from '../client/check/rules/rules.ts'
export type {
  ClientEvent,
  ClientEventBody,
  RenewalCause,
  RunCause,
  TurnFailure,
} from '../client/client-event.ts'
export type { ClientSignIn, OpenSignIn, SignInResult } from '../client/credentials/client-sign-in.ts'
export type { OpenAddress } from '../client/credentials/create-open-sign-in.ts'
export type { SessionContext } from '../client/credentials/helper-source.ts'
export type { HelperRun, RunReason } from '../client/launch/run-credential-helper.ts'
export type { ConsentAnswer, Person } from '../client/session/agreed-document.ts'
export type { Client, ClientSettings, ClientWorld, Session } from '../client/session/client.ts'
export {
  type Asked,
  createServedSource,
  type DocumentServer,
  type ServedSettings,
  type ServedSource,
} from '../client/session/served-source.ts'
export { startClient } from '../client/session/start-client.ts'
export type { ServerSignIn } from '../client/session/trust-anchor.ts'
