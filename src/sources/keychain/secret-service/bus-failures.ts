import { type FailureKind, HelperError } from '../../../runtime/failure.ts'

/** A state in which no secret can be stored or returned. */
export type ServiceState = keyof typeof states

/** Further facts about a failure. */
export interface FailureFacts {
  /** The alternative for a person without a keychain, imperative. */
  readonly otherwise: string
  /** The observed symptom, for people who diagnose the cause. */
  readonly detail?: string | undefined
  readonly cause?: unknown
}

/** Creates the failure for a state of the keychain, with the alternative in its hint. */
export function createStateFailure(state: ServiceState, { otherwise, detail, cause }: FailureFacts): HelperError {
  const { kind, message, hint } = states[state]
  return new HelperError(kind, `${message}${detail ? ` (${detail})` : ''}`, `${hint}, or ${otherwise}`, { cause })
}

interface KeyringState {
  readonly kind: FailureKind
  readonly message: string
  /** The remedy, in the imperative. */
  readonly hint: string
}

const newSession = 'start a new session of the client'
const anyKeyring = 'start a keyring that offers it (GNOME Keyring, KWallet and KeePassXC do)'

const unlockHint = 'unlock it in the program that manages your passwords'

/** In milliseconds: how long all answers to one use of the keychain may take together. A keyring usually takes 20. Our decision. */
export const longestAnswerMs = 5000

/** Every state in which the Secret Service cannot store or return a secret. */
const states = {
  'no bus': {
    kind: 'unavailable',
    message: 'there is no Secret Service here, because this session has no D-Bus',
    hint: 'start the client from a desktop session',
  },
  'not running': {
    kind: 'unavailable',
    message: 'no Secret Service is running in this session',
    hint: `${newSession}, which starts it`,
  },
  'not installed': {
    kind: 'not-configured',
    message: 'no Secret Service is running in this session, and the system knows none that it could start',
    hint: anyKeyring,
  },
  'not started': {
    kind: 'unavailable',
    message: 'the Secret Service of this session cannot be started',
    hint: 'see why: journalctl --user --since -5min',
  },
  'no keyring': {
    kind: 'not-configured',
    message: 'the Secret Service has no default keyring',
    hint: `${newSession} at a desktop, which offers to make one`,
  },
  locked: {
    kind: 'unavailable',
    message: 'the keyring is locked',
    hint: `${newSession}, which asks for its password, or ${unlockHint}`,
  },
  'locked without a display': {
    kind: 'unavailable',
    message: 'the keyring is locked, and this session has no display on which it could ask for its password',
    hint: unlockHint,
  },
  dismissed: {
    kind: 'refused',
    message: 'the keyring was not opened, because its dialog was closed',
    hint: `${newSession} and answer its dialog, or ${unlockHint}`,
  },
  'needs a person': {
    kind: 'unavailable',
    message: 'the keyring wants a person to agree',
    hint: `${newSession}, in which it can ask`,
  },
  denied: {
    kind: 'refused',
    message: 'the Secret Service denies access',
    hint: 'allow it in the program that manages your passwords',
  },
  'bus denied': {
    kind: 'refused',
    message: 'the D-Bus of this session cannot be used',
    hint: 'run this as the user of that session; see: echo $DBUS_SESSION_BUS_ADDRESS',
  },
  'bus anonymous': {
    kind: 'refused',
    message:
      'the D-Bus of this session is not used, because its address is an abstract socket without a guid: any user could listen there',
    hint: 'set DBUS_SESSION_BUS_ADDRESS to the whole address that the bus prints when it starts',
  },
  'bus hung': {
    kind: 'unavailable',
    message: `the D-Bus of this session did not answer within ${longestAnswerMs / 1000} s`,
    hint: 'sign out of the desktop and in again',
  },
  hung: {
    kind: 'unavailable',
    message: `the Secret Service did not answer within ${longestAnswerMs / 1000} s`,
    hint: 'end it, or sign out of the desktop and in again',
  },
  'bus broken': {
    kind: 'unavailable',
    message: 'the program that listens as the D-Bus of this session does not speak D-Bus',
    hint: 'see where it listens: echo $DBUS_SESSION_BUS_ADDRESS',
  },
  broken: {
    kind: 'unavailable',
    message: 'the Secret Service does not answer as it should',
    hint: 'see which program it is: busctl --user status org.freedesktop.secrets',
  },
} as const satisfies Record<string, KeyringState>
