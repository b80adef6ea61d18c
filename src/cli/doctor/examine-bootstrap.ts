import { describeAsked, describeDevice, describeServedDocument } from '../../client/doctor/describe-served.ts'
import type { Part } from '../../client/examination.ts'
import type { ReadResult } from '../../config/read/read-document.ts'
import { hideUrlSecrets } from '../../runtime/text/hide-secrets.ts'
import type { Cli } from '../cli.ts'
import { type BootstrapRequest, prepareBootstrap } from '../configuration-server.ts'
import { examineDocument } from './examine-source.ts'

/** Examines every step to the document of a configuration server. `result` is absent without a document. */
export async function examineBootstrap(
  cli: Cli,
  request: BootstrapRequest,
): Promise<{ readonly shown: string; readonly result?: ReadResult; readonly parts: readonly Part[] }> {
  const { source, signIn, findings, local } = await prepareBootstrap(cli, request)
  const shown = hideUrlSecrets(request.bootstrap)
  const device = describeDevice({ signIn, findings, isNamed: local !== undefined })
  const asked = await source.ask('launch')
  const steps = [...device, ...describeAsked(asked, shown)]
  const { answer } = asked
  if (answer.outcome !== 'document') return { shown, parts: steps }
  // Like standard input: `config check` cannot sign in to read it again.
  const document = await examineDocument(cli, answer.result, '-')
  const again = await source.ask('background')
  const served = describeServedDocument(answer, again.answer, { local: local?.document, now: cli.host.clock.now() })
  const outcome = document.outcome === 'good' ? served.outcome : document.outcome
  const hint = document.hint ?? served.hint
  const part: Part = {
    ...document,
    outcome,
    lines: [...document.lines, ...served.lines],
    hint,
  }
  return { shown, result: answer.result, parts: [...steps, part] }
}
