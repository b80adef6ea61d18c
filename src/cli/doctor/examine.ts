import { describeHelperRun } from '../../client/doctor/describe-helper-run.ts'
import { examineCredential } from '../../client/doctor/examine-credential.ts'
import { credentialParts, skipParts } from '../../client/doctor/skip-parts.ts'
import type { Part } from '../../client/examination.ts'
import { runCredentialHelper } from '../../client/launch/run-credential-helper.ts'
import type { GatewayInference } from '../../client/turn/gateway-inference.ts'
import { checkMachine } from '../../config/check/machine.ts'
import type { HelperScriptCredential } from '../../config/document.ts'
import type { Finding } from '../../config/finding.ts'
import type { ReadResult } from '../../config/read/document.ts'
import { quoteForShell } from '../../config/read/linux-managed.ts'
import { Secret } from '../../runtime/secret.ts'
import { renderCommand } from '../ask-to-run.ts'
import { checkReadResult } from '../check-read-result.ts'
import type { Cli } from '../cli.ts'
import { detectSystem } from '../detect-system.ts'
import { machineFiles } from '../machine-files.ts'
import { openTurn } from '../open-turn.ts'
import { countFindings } from '../show-findings.ts'
import { repeatCall } from './attempt.ts'
import { explainGateway, explainRun } from './explain-refusal.ts'
import { describeIdentity } from './identity.ts'
import type { SignInConsent } from './sign-in/examine-sign-in.ts'

/** The document, with every finding of reading and checking it on this machine. */
export async function examineDocument(cli: Cli, result: ReadResult, source: string): Promise<Part> {
  const os = detectSystem(cli.host.platform)
  const checked = await checkReadResult(cli, result, { os }, 'this machine')
  const findings = [...checked, ...(await checkMachine(result, os, machineFiles))]
  const shown = findings.filter(({ severity }) => severity !== 'info')
  const isBroken = shown.some(({ severity }) => severity === 'error') || result.document === undefined
  return {
    part: 'document',
    outcome: isBroken ? 'bad' : shown.length > 0 ? 'note' : 'good',
    lines: [countFindings(findings), ...shown.map(renderFinding)],
    ...(isBroken && { hint: renderHint(result, source) }),
  }
}

/** Without `config check`, which says no more of a document that cannot be read, and cannot read standard input again. */
function renderHint({ document }: ReadResult, source: string): string {
  if (document === undefined) return 'name a document that can be read'
  const check =
    source === '-' ? '' : `; see how a client applies it: gatepass config check --here ${quoteForShell(source)}`
  return `correct the document first${check}`
}

function renderFinding({ path, code, message, hint }: Finding): string {
  return `${path === '' ? 'the document' : path}: ${message} (${code})${hint === '' ? '' : ` → ${hint}`}`
}

/** Gets the credential as the client would in its connection test, and sends one turn with it. */
export async function examineSource(
  cli: Cli,
  inference: GatewayInference,
  { db, consent }: { readonly db: string | undefined; readonly consent: SignInConsent },
): Promise<Part[]> {
  const { credential } = inference
  if (!credential) return skipParts(...credentialParts.helper)
  switch (credential.kind) {
    case 'helper-script':
      return examineHelper(cli, inference, credential, db)
    case 'static': {
      const held = { token: new Secret(credential.apiKey ?? ''), headers: {} }
      const helper: Part = { part: 'helper', outcome: 'good', lines: ['none: the key is in the document'] }
      return [helper, ...(await examineCredential(inference, held, 0, await openTurn(cli)))]
    }
    case 'interactive':
    case 'external-idp': {
      // Loaded here, because only a sign-in needs the code of one.
      const { examineSignIn } = await import('./sign-in/examine-sign-in.ts')
      return examineSignIn(cli, inference, credential, consent)
    }
  }
}

async function examineHelper(
  cli: Cli,
  inference: GatewayInference,
  credential: HelperScriptCredential,
  db: string | undefined,
): Promise<Part[]> {
  const helper: Part = { part: 'helper', outcome: 'good', lines: [renderCommand(credential)] }
  const run = await runCredentialHelper(credential, 'setup-test', cli.host)
  const repeated = await repeatCall(cli, credential, run.ok ? 'succeeded' : 'failed')
  const diagnosis = repeated?.diagnosis
  const described = [
    helper,
    explainRun(describeHelperRun(run, credential), run.stderr, diagnosis),
    ...describeIdentity(repeated),
  ]
  if (!run.ok) {
    // Loaded here, because only a failed exchange needs the code that verifies signatures.
    const { examineExchange } = await import('./exchange.ts')
    const exchange = repeated && run.reason === 'exit-status' ? await examineExchange(cli, repeated, db) : []
    return [...described, ...exchange, ...skipParts('token', 'gateway')]
  }
  const parts = await examineCredential(inference, run.credential, credential.ttlSec, await openTurn(cli))
  return [...described, ...explainGateway(parts, diagnosis)]
}
