import { accountPattern } from '../../../contract/aws/caller-identity.ts'
import { recipes } from '../../gateway/verifier/add-verifier.ts'
import { isNone, splitList } from '../answers.ts'
import { isAwsProof, isOpenId, later, none, type SetupQuestion, type SetupSituation } from '../setup-question.ts'
import { describeGroupNames, isEntra, validateEntraAudience } from './identity.ts'

/** The verifier next to the gateway, and the callers that it lets pass. */
export const verifierQuestions: readonly SetupQuestion[] = [
  {
    name: 'recipe',
    summary: `the gateway's software, for which a verifier with its policy is written: ${Object.keys(recipes).join(', ')}, or none`,
    words: 'Software of your gateway, if Gatepass shall verify the tokens for it',
    choices: () => ({
      none: 'the gateway verifies tokens itself',
      ...Object.fromEntries(Object.keys(recipes).map((name) => [name, 'with the verifier beside it'])),
    }),
    applies: isVerified,
    fallback: () => none,
  },
  {
    name: 'audience',
    summary: 'the audience (aud) of the access token, as the policy compares it',
    words:
      'Audience (aud) of the access token; Entra ID writes the client ID of the API there (later: the folder says how to register it)',
    missingUntil: 'recipe',
    names: [later.value],
    applies: (situation) => isOpenId(situation) && !isNone(situation.answers.recipe),
    isAsked: ({ answers }) => !isNone(answers.scopes),
    fallback: ({ answers }) => {
      const clientId = answers['client-id']
      if (isNone(answers.scopes)) return clientId === undefined ? undefined : { value: clientId }
      const api = /^(?:api:\/\/)?([0-9a-f-]{36})\//i.exec(answers.scopes ?? '')?.[1]
      return api === undefined ? later : { value: api }
    },
    validate: (audience, { answers }) => validateEntraAudience(audience, answers),
  },
  {
    name: 'allow',
    summary: 'who may pass: CLAIM=PATTERN, everyone, or for AWS account numbers',
    words: 'Who may pass',
    told: (situation) =>
      isAwsProof(situation)
        ? ['AWS accounts, with commas between them.']
        : [
            `CLAIM=PATTERN, such as ${isEntra(situation.answers.issuer) ? 'roles' : 'groups'}=llm-users; or everyone to whom the provider gives a token for this audience.`,
          ],
    applies: (situation) => isVerified(situation) && !isNone(situation.answers.recipe),
    names: ['everyone'],
    fallback: (situation) => {
      const account = situation.answers['sso-account']
      if (isAwsProof(situation)) return account === undefined ? undefined : { value: account }
      return { value: 'everyone' }
    },
    validate: validateAllow,
    warn: (allow, { answers }) => describeGroupNames(allow, answers.issuer),
  },
]

function validateAllow(answer: string, situation: SetupSituation): string | undefined {
  if (isAwsProof(situation)) {
    const accounts = splitList(answer)
    return accounts.length > 0 && accounts.every((account) => accountPattern.test(account))
      ? undefined
      : 'expected account numbers of twelve digits, with commas between them'
  }
  return answer === 'everyone' || /^[^=\s]+=.+$/.test(answer) ? undefined : 'expected CLAIM=PATTERN or everyone'
}

function isVerified(situation: SetupSituation): boolean {
  return isOpenId(situation) || isAwsProof(situation)
}
