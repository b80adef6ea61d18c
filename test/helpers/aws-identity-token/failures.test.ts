import { expect, test } from 'vitest'
import { failure, own, startDesk } from './desk.ts'

const statement = (action: string) => `{"Effect":"Allow","Action":"${action}","Resource":"*"}`
const conditions =
  '; conditions on sts:IdentityTokenAudience, sts:SigningAlgorithm and sts:DurationSeconds have to permit what is asked for'

const tooLarge = ['JWTPayloadSizeExceededException', 'the identity token would be too large'] as const
const tagged = ['--tag', 'a=b']

test.each<[code: string, meaning: string, hint: string, given?: { argv?: readonly string[]; message?: string }]>([
  [
    'SessionDurationEscalationException',
    'the credentials expire before the identity token would',
    'sign in again, or wait until the credentials are renewed',
  ],
  [...tooLarge, 'set fewer or shorter tags', { argv: tagged }],
  [...tooLarge, 'give the role or session fewer tags'],
  [
    'AccessDenied',
    'a policy does not permit sts:GetWebIdentityToken',
    `have an administrator add this statement to the policies of this identity: ${statement('sts:GetWebIdentityToken')}${conditions}`,
    { message: 'User: canary is not authorized to perform: sts:GetWebIdentityToken on resource: *' },
  ],
  [
    'AccessDenied',
    'a policy does not permit sts:TagGetWebIdentityToken',
    `have an administrator add this statement to the service control policy: ${statement('sts:TagGetWebIdentityToken')}`,
    {
      argv: tagged,
      message:
        'canary: not authorized to perform: sts:TagGetWebIdentityToken because no service control policy allows it',
    },
  ],
  [
    'InvalidAction',
    'AWS STS does not issue identity tokens in this region',
    'set another region, or correct the endpoint that is set for STS',
  ],
  [
    'ValidationError',
    'AWS does not accept an audience, a tag or the life that was asked for',
    'correct the settings audience, tag and lifetime',
  ],
  [
    'InvalidClientTokenId',
    'the access key does not exist, or no longer exists',
    'put current keys into profile "dev" of CONFIG or CREDENTIALS',
  ],
])(
  'the refusal %s of AWS STS is explained: %s; %s',
  async (code, meaning, hint, { argv = [], message = 'canary' } = {}) => {
    const desk = await startDesk()
    desk.aws.failAlways('GetWebIdentityToken', { kind: 'error', code, status: 403, message })
    const way = hint
      .replace('CONFIG', `${desk.home}/.aws/config`)
      .replace('CREDENTIALS', `${desk.home}/.aws/credentials`)
    const outcome = await desk.run({ argv: [...own, ...argv] })
    expect({ outcome, answers: desk.aws.requests.map(({ status }) => status) }).toEqual({
      outcome: failure(5, `AWS STS gave no identity token: ${code}: ${meaning}`, way),
      answers: [403],
    })
  },
)

test('the refusal of an account that issues no identity tokens is explained', async () => {
  const desk = await startDesk()
  desk.aws.outboundIdentity.disable()
  expect(await desk.run({ argv: own })).toEqual(
    failure(
      5,
      'AWS STS gave no identity token: OutboundWebIdentityFederationDisabledException: the account does not issue identity tokens',
      'have an administrator of the account run once: aws iam enable-outbound-web-identity-federation',
    ),
  )
})

test('an AWS STS that throttles is asked three times', async () => {
  const desk = await startDesk()
  desk.aws.failAlways('GetWebIdentityToken', { kind: 'error', code: 'Throttling', status: 400, message: 'canary' })
  const outcome = await desk.run({ argv: own })
  expect({ outcome, answers: desk.aws.requests.map(({ status }) => status) }).toEqual({
    outcome: failure(6, 'AWS STS in eu-central-1 is busy or broken (Throttling, HTTP 400)', 'try again in a moment'),
    answers: [400, 400, 400],
  })
})
