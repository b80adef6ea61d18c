import { type ConfigDocument, type Credential, type CredentialKind, credentialKinds } from '../../../config/document.ts'
import type { Cli } from '../../cli.ts'
import { findFieldProblem } from './check-answer.ts'
import { findKindOfFlags, type InitFlags, refuseOtherFlags } from './flags.ts'
import { collectHelper } from './helper-script.ts'
import { type Interview, resolveAnswer } from './question.ts'
import { collectSignIn } from './sign-in.ts'
import { collectStaticKey } from './static-key.ts'

/**
 * The document that flags describe, and answers of a person about the rest.
 * @throws {HelperError} `usage` for what is missing where nobody answers, and for flags of another kind.
 */
export async function collectAnswers(cli: Cli, flags: InitFlags): Promise<ConfigDocument> {
  using conversation = cli.terminal.startConversation()
  const interview = { cli, conversation }
  const kind = await chooseKind(interview, flags)
  refuseOtherFlags(flags, kind, cli.helpers.get(flags.helper ?? '')?.options)
  const baseUrl = await askBaseUrl(interview, flags.baseUrl)
  const credential = await collectors[kind](interview, flags, kind, baseUrl)
  return { inference: { provider: 'gateway', baseUrl, credential } }
}

type Collector = (interview: Interview, flags: InitFlags, kind: CredentialKind, baseUrl: string) => Promise<Credential>

const collectors: Readonly<Record<CredentialKind, Collector>> = {
  static: collectStaticKey,
  interactive: collectSignIn,
  'external-idp': collectSignIn,
  'helper-script': collectHelper,
}

async function chooseKind(interview: Interview, flags: InitFlags): Promise<CredentialKind> {
  const isKind = (answer: string) => credentialKinds.some((kind) => kind === answer)
  const answer = await resolveAnswer(
    interview,
    {
      flag: '--kind',
      words: `Which kind of credential (${credentialKinds.join(', ')})`,
      fallback: { value: 'helper-script', words: 'helper-script' },
      findProblem: (text) => (isKind(text) ? undefined : `there is no kind ${JSON.stringify(text)}`),
    },
    flags.kind ?? findKindOfFlags(flags),
  )
  return answer as CredentialKind // one of the kinds, by the question and by the flag's choices
}

/** The full URL of the gateway, which the check of documents accepts. */
export function askBaseUrl(interview: Interview, given: string | undefined): Promise<string> {
  return resolveAnswer(
    interview,
    {
      flag: '--base-url',
      words: 'Full URL of the gateway',
      findProblem: (baseUrl) =>
        findFieldProblem(interview.cli, { inference: { provider: 'gateway', baseUrl } }, 'inference.baseUrl'),
    },
    given,
  )
}
