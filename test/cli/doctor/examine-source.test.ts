import { expect, test } from 'vitest'
import { explainGateway, explainRun } from '../../../src/cli/doctor/examine-source.ts'
import type { Part } from '../../../src/client/examination.ts'
import type { Diagnosis } from '../../../src/helper/diagnosis.ts'

const secret = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:key-??????'
const diagnosis: Diagnosis = {
  permissions: [
    { action: 'bedrock:InvokeModel', resource: ['arn:aws:a', 'arn:aws:b'] },
    { action: 'secretsmanager:GetSecretValue', resource: secret },
    {
      action: 'kms:Decrypt',
      resource: '*',
      condition: { StringEquals: { 'kms:ViaService': 'secretsmanager.eu-central-1.amazonaws.com' } },
    },
  ],
  algorithm: { option: 'algorithm', values: ['ES384', 'RS256'] },
}
const failed: Part = { part: 'run', outcome: 'bad', lines: ['it failed'], hint: 'follow its message' }
const heading = 'to allow it, add to a policy of the identity:'

test('the permission that the helper of a failed run knows becomes a statement', () => {
  const stderr = 'helper: AccessDeniedException\nhelper: hint: allow kms:Decrypt, and run: a:B'
  const statement = {
    Effect: 'Allow',
    Action: 'kms:Decrypt',
    Resource: '*',
    Condition: diagnosis.permissions?.[2]?.condition,
  }
  expect(explainRun(failed, stderr, diagnosis)).toEqual({
    ...failed,
    lines: ['it failed', heading, `  ${JSON.stringify(statement)}`],
    policy: { Version: '2012-10-17', Statement: [statement] },
  })
})

test.each<[what: string, part: Part, stderr: string, diagnosis: Diagnosis | undefined]>([
  ['that succeeded', { ...failed, outcome: 'note' }, 'AccessDenied kms:Decrypt', diagnosis],
  ['that failed otherwise', failed, 'expired: kms:Decrypt', diagnosis],
  ['of another program', failed, 'AccessDenied kms:Decrypt', undefined],
])('a run %s is left as it is', (_what, part, stderr, known) => {
  expect(explainRun(part, stderr, known)).toEqual(part)
})

const refused = (answer: Part['answer'], hint = 'ask them'): Part => ({
  part: 'gateway',
  outcome: 'bad',
  lines: ['HTTP'],
  hint,
  ...(answer && { answer }),
})
const token = (algorithm?: string): Part => ({
  part: 'token',
  outcome: 'good',
  lines: [],
  ...(algorithm !== undefined && { algorithm }),
})
const advise = (part: Part, algorithm?: string) => explainGateway([token(algorithm), part], diagnosis)[1]
const toLines = (part: Part | undefined) => [...(part?.lines ?? []).slice(1), part?.hint]
const model = '{"Effect":"Allow","Action":"bedrock:InvokeModel","Resource":["arn:aws:a","arn:aws:b"]}'
const signed = 'the token is signed with ES384; a gateway that takes RS256 only refuses it'

const toRs256 = "set the helper's option algorithm to RS256"
const removeDeny = 'have the explicit deny of a1:B removed'

test.each<[what: string, part: Part, lines: string[], algorithm?: string]>([
  ['names an action', refused({ status: 403, denied: 'bedrock:InvokeModel' }), [heading, `  ${model}`, 'ask them']],
  [
    'names none, where our hint does',
    refused({ status: 403 }, 'allow bedrock:InvokeModel'),
    [heading, `  ${model}`, 'allow bedrock:InvokeModel'],
  ],
  ['denies explicitly', refused({ status: 403, denied: 'a1:B' }, removeDeny), [removeDeny]],
  ['speaks of algorithms', refused({ status: 401, message: 'unsupported alg' }), [signed, toRs256], 'ES384'],
  ['names the other algorithm', refused({ status: 401, message: 'expected RS256' }), [signed, toRs256], 'ES384'],
  ['does not say why', refused({ status: 401 }), [signed, `ask them; or, if it takes RS256 only, ${toRs256}`], 'ES384'],
  ['refuses a JWT of another kind', refused({ status: 401 }), ['ask them'], 'PS256'],
  ['refuses a token that is not a JWT', refused({ status: 401 }), ['ask them']],
  ['fails', refused({ status: 500 }), ['ask them'], 'ES384'],
])('the advice fits a gateway that %s', (_what, part, lines, algorithm) => {
  expect(toLines(advise(part, algorithm))).toEqual(lines)
})
