import type { Deadline } from '../../runtime/deadline.ts'
import type { Host } from '../../runtime/host.ts'
import type { AnyHelper } from '../define-helper.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import type { CommonOptions } from '../options/table.ts'
import type { OtherHelpers } from '../other-helpers.ts'
import type { CallRecord } from '../record/call-record.ts'

/** A run whose options are resolved, and which prints a format of other clients. */
export interface AskedCall {
  readonly program: string
  readonly helper: AnyHelper
  /** Its `argv` are without the action. */
  readonly host: Host
  readonly others: OtherHelpers
  readonly resolved: ResolvedOptions
  readonly options: CommonOptions
  /** The word that the client has appended to the arguments. */
  readonly action: string | undefined
  readonly record: CallRecord
  /** By which the call has to end. */
  readonly deadline: Deadline
}
