import { renderWarning } from '../../runtime/failure.ts'
import { findBesideCommand, type Host } from '../../runtime/host.ts'
import { createCall } from '../call/create-call.ts'
import { type HeaderTemplate, listWanted } from '../call/header-facts.ts'
import type { UnplannedCall } from '../call/prepare-request.ts'
import { toValues } from '../options/read-options.ts'
import type { CommonOptions } from '../options/table.ts'
import type { OtherHelpers } from '../other-helpers.ts'
import { createCallRecord } from '../record/call-record.ts'
import { commandFamily, findSecond } from './find-second.ts'
import { readSecondOptions } from './read-second-options.ts'
import { requireSecondFacts, tokenFact } from './second-facts.ts'
import { describeSecond, toSecondFailure } from './second-failure.ts'

/**
 * The call of the second helper: as if it ran alone, with its own options, entry and lock, and within the time of the first.
 * @throws {HelperError} where it cannot be called as it is configured; nothing was asked then.
 */
export async function prepareSecond(
  first: UnplannedCall,
  templates: readonly HeaderTemplate[],
  others: OtherHelpers,
): Promise<UnplannedCall> {
  const second = await findSecond(first, others)
  const { name: program, helper } = second
  requireSecondFacts(templates, first.program, second)
  const wanted = listWanted(templates).second.filter((fact) => fact !== tokenFact)
  const host = toSecondHost(first, program)
  const record = createCallRecord()
  first.record.second = { program, record }
  try {
    const resolved = await readSecondOptions(first, second, { host, record, wanted })
    record.resolved = resolved
    const call = { ...createCall(program, host, resolved, record), warn: createWarn(first, program, record) }
    const options = toValues<CommonOptions>(resolved)
    return { program, helper, host, options, resolved, call, wantedFacts: new Set(wanted), record }
  } catch (error) {
    throw toSecondFailure(program, error, first.record)
  }
}

function toSecondHost({ host, options }: UnplannedCall, name: string): Host {
  const command = options['second-command'].map((word) => `--${commandFamily}=${word}`)
  const argv = [...command, ...options['second-option'].map((option) => `--${option}`)]
  return { ...host, argv, ownCommand: findBesideCommand(host.argv, name) }
}

/** Under the name of the program that runs, as a client's log has it. */
function createWarn(first: UnplannedCall, name: string, { warnings }: UnplannedCall['record']) {
  return (message: string) => {
    warnings.push(message)
    first.host.streams.stderr(renderWarning(first.program, `${describeSecond(name)}: ${message}`))
  }
}
