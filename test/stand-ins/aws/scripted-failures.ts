import type { AwsOperationName } from './aws-operation.ts'

/**
 * How a request fails. An `error` is refused in the operation's own protocol; `reason` is the console sign-in's `error`
 * member.
 */
export type AwsFailure =
  | { kind: 'error'; code: string; status: number; message?: string; reason?: string }
  | { kind: 'reset' }
  | { kind: 'silence' }
  | { kind: 'slow'; delayMs: number }
  /** It is answered as it would have been, once this is over. */
  | { kind: 'late'; after: () => Promise<unknown> }

export interface ScriptedFailures {
  /** Once, after those scripted before it. */
  failNext(operation: AwsOperationName, failure: AwsFailure): void
  /** Whenever none is left of `failNext`, until `recover`. */
  failAlways(operation: AwsOperationName, failure: AwsFailure): void
  recover(operation: AwsOperationName): void
  take(operation: AwsOperationName): AwsFailure | undefined
}

export function createScriptedFailures(): ScriptedFailures {
  const queued = new Map<AwsOperationName, AwsFailure[]>()
  const lasting = new Map<AwsOperationName, AwsFailure>()
  return {
    failNext: (operation, failure) => void queued.set(operation, [...(queued.get(operation) ?? []), failure]),
    failAlways: (operation, failure) => void lasting.set(operation, failure),
    recover: (operation) => {
      queued.delete(operation)
      lasting.delete(operation)
    },
    take: (operation) => queued.get(operation)?.shift() ?? lasting.get(operation),
  }
}
