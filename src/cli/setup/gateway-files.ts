import { HelperError } from '../../runtime/failure.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { readPolicyText, requirePolicy } from '../../verify/policy/read-policy-file.ts'
import { usualPorts, verifierSocket } from '../../verify/server/listen-address.ts'
import { parseGatewayAddress, type RecipeFile, requireRecipeTerms } from '../gateway/recipes/recipe.ts'
import { recipes } from '../gateway/verifier/add-verifier.ts'
import { splitList } from './answers.ts'
import { type FolderFile, type OwnTexts, policyPath, toStanding } from './folder.ts'
import { isEntra } from './questions/identity.ts'
import { type AnsweredSetup, isAwsProof, isOpenId } from './setup-question.ts'

/** Plans the verifier's policy and the gateway's recipe; the policy is validated as by a verifier. */
export async function planGateway(situation: AnsweredSetup, own: OwnTexts): Promise<FolderFile[]> {
  const { recipe = 'none', ...answers } = situation.answers
  // Without an audience, a policy would let tokens for another service pass.
  const isOpen = isOpenId(situation) && answers.audience === undefined
  if (!Object.hasOwn(recipes, recipe) || isOpen) return []
  const made = renderJson(toPolicy(situation))
  const path = policyPath
  const about = 'whose tokens the verifier beside the gateway lets pass'
  const file = toStanding({ path, content: made, about }, own)
  const policy = requirePolicy(path, await readPolicyText(Buffer.from(file.content), path, 'anybody'))
  const address = parseGatewayAddress(answers['base-url'] ?? '')
  const parts = recipes[recipe as keyof typeof recipes](requireRecipeTerms(path, policy), address)
  return [
    file,
    ...parts.map((part) => ({
      path: `gateway/${part.path.replace(/^\//, '').replaceAll(/[^\w./-]+/g, '-')}`,
      content: withOpenMarks(part),
      about: `the recipe for ${recipe}: ${part.path}`,
    })),
  ]
}

/** The mark above each line of a recipe that the gateway's operator must complete. */
export const openMark = 'FILL IN'

/** The values that only the operator of a gateway knows, by the placeholders of the recipes. */
const openValues: readonly (readonly [placeholder: RegExp, words: string])[] = [
  [/\bHost +model\.internal\b/, 'the name under which the model is asked'],
  [/\bmodel\.internal\b/, 'the address of the model, which gets every path as the client asks for it'],
  [/\bgateway\.(pem|key)\b/, 'your certificate and its key'],
  [/\bverifier\.internal\b/, 'the address of the verifier'],
]

/** Finds the verifier's address in a recipe; `undefined` if only the operator knows it. */
export function findVerifierAddress(files: readonly FolderFile[]): string | undefined {
  const texts = files.filter(({ path }) => path.startsWith('gateway/')).map(({ content }) => String(content))
  const usual = [verifierSocket, `127.0.0.1:${usualPorts.verifier}`]
  return texts.flatMap((text) => usual.find((address) => text.includes(address)) ?? [])[0]
}

function toPolicy(situation: AnsweredSetup): object {
  const { answers } = situation
  const { issuer, audience, allow = '' } = answers
  if (isAwsProof(situation))
    return {
      aws: { audience: answers['gateway-audience'] },
      rules: [{ name: 'people', aws: { accounts: splitList(allow) }, headers: { 'x-user': '{arn}' } }],
    }
  if (!isOpenId(situation) || issuer === undefined)
    throw new HelperError('usage', 'a recipe needs an issuer', 'pass --recipe none')
  const [, claim = '', pattern = ''] = /^([^=]+)=(.+)$/.exec(allow) ?? []
  const who = allow === 'everyone' ? { everyone: true } : { claims: { [claim]: [pattern] } }
  // Entra ID's `sub` differs for each client; `oid` identifies the person (Microsoft Learn, "Access token claims reference").
  const user = isEntra(issuer) ? '{oid}' : '{sub}'
  return {
    issuers: [{ issuer, audiences: [audience] }],
    rules: [{ name: 'people', issuer, ...who, headers: { 'x-user': user } }],
  }
}

/** Adds a mark above each line with a placeholder, and only one mark for successive lines. */
function withOpenMarks({ path, text }: RecipeFile): string {
  const [start, end] = path.endsWith('.xml') ? ['<!--', ' -->'] : ['#', '']
  const lines = text.split('\n')
  const findOpenWords = (line = '') => openValues.find(([placeholder]) => placeholder.test(line))?.[1]
  return lines
    .flatMap((line, index) => {
      const words = findOpenWords(line)
      if (words === undefined || words === findOpenWords(lines[index - 1])) return [line]
      return [`${/^ */.exec(line)}${start} ${openMark}: ${words}.${end}`, line]
    })
    .join('\n')
}
