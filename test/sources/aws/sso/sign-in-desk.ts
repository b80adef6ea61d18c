import { createSsoFlow } from '../../../../src/sources/aws/find-aws-sign-in.ts'
import type { SsoSession } from '../../../../src/sources/aws/sso/sso-session.ts'
import type { SignInPrompt, SignInTools } from '../../../../src/sources/oauth/flow.ts'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'
import { toFailureParts } from '../../../setup/failure-parts.ts'
import { testHost } from '../../../setup/test-host.ts'
import { answerQuestion } from '../../../stand-ins/aws/pages/answer-question.ts'
import { type SsoBench, session, startSsoBench, startUrl } from './sso-bench.ts'

/** A person who reacts to a prompt. */
type Person = (prompt: SignInPrompt) => Promise<unknown>

export const allow: Person = ({ address }) => answerQuestion(address, 'allow')
export const deny: Person = ({ address }) => answerQuestion(address, 'deny')

/** A bench with a person before it. */
export interface SignInDesk extends SsoBench {
  readonly host: SignInTools['host']
  readonly prompts: readonly SignInPrompt[]
  /** Signs in, and gives how that ended. */
  signInAs(person: Person, tools?: Partial<SignInTools>): Promise<unknown>
}

export async function startDesk(of: SsoSession = session): Promise<SignInDesk> {
  const bench = await startSsoBench(of)
  bench.aws.sso.addPortal(startUrl, { assignments: [] })
  const prompts: SignInPrompt[] = []
  const { call, endpoints, renewalHint, host: here } = bench.parts
  const host = await testHost({ home: here.home, clock: here.clock as never })
  const flow = createSsoFlow({ session: of, endpoints, renewalHint, paths: '/config' }, host)
  return {
    ...bench,
    host,
    prompts,
    signInAs: async (person, tools = {}) => {
      const shown: Promise<unknown>[] = []
      try {
        await flow.run({
          host,
          call,
          canOpenBrowser: true,
          signal: new AbortController().signal,
          beginStoring: () => {},
          openListener: (options) => openListener(options, { subject: flow.subject }),
          show: async (prompt) => {
            prompts.push(prompt)
            shown.push(person(prompt).catch((error: Error) => error.message))
          },
          ...tools,
        })
        return [await flow.isSignedIn(), ...(await Promise.all(shown)).map(() => 'shown')]
      } catch (error) {
        return toFailureParts(error)
      }
    },
  }
}
