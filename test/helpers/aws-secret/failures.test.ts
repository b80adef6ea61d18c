import { expect, test } from 'vitest'
import { failure, startDesk } from './desk.ts'

const place = '--region eu-central-1 --profile dev'
const unknown = 'there is none of that name in this account and region'
const statement = (action: string, resource: string) =>
  `have an administrator add this statement to the policies of this identity: {"Effect":"Allow","Action":"${action}","Resource":"${resource}"}`
const kms = `${statement('kms:Decrypt', 'ARN-OF-THE-KEY')}; the policy of the key has to permit it too`

const noSecret = (name: string) => `AWS Secrets Manager in eu-central-1 did not give the secret "${name}":`

test.each<[code: string, message: string, meaning: string, hint: string, argv?: string[]]>([
  [
    'ResourceNotFoundException',
    "Secrets Manager can't find the specified secret.",
    unknown,
    `correct the name, the region or the profile; the names are listed by: aws secretsmanager list-secrets ${place}`,
  ],
  [
    'ResourceNotFoundException',
    "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
    'it has no value yet',
    `have one stored: aws secretsmanager put-secret-value --secret-id ai/key --secret-string file://FILE-WITH-TOKEN ${place}`,
  ],
  [
    'ResourceNotFoundException',
    "Secrets Manager can't find the specified secret value for VersionId: 1",
    'it has no such version',
    `correct version-stage or version-id; its versions are listed by: aws secretsmanager list-secret-version-ids --secret-id ai/key ${place}`,
    ['--version-id', '1'],
  ],
  [
    'AccessDeniedException',
    'User: canary is not authorized to perform: secretsmanager:GetSecretValue on resource: ai/key',
    'a policy does not permit secretsmanager:GetSecretValue',
    statement('secretsmanager:GetSecretValue', 'arn:aws:secretsmanager:eu-central-1:*:secret:ai/key-??????'),
  ],
  ['AccessDeniedException', 'Access to KMS is not allowed', 'its KMS key may not be used', kms],
  [
    'DecryptionFailure',
    'canary',
    'its KMS key cannot decrypt it',
    'have an administrator of that key enable it, or have the value stored again under another key',
  ],
  [
    'InvalidRequestException',
    "You can't perform this operation on the secret because it was marked for deletion.",
    'it is scheduled for deletion',
    `set another secret, or have it restored: aws secretsmanager restore-secret --secret-id ai/key ${place}`,
  ],
  [
    'InvalidRequestException',
    'canary',
    'its state does not permit it',
    `look at it: aws secretsmanager describe-secret --secret-id ai/key ${place}`,
  ],
  [
    'InvalidParameterException',
    'canary',
    'AWS does not accept the name or the version',
    'correct secret, version-stage and version-id; a stage and an ID that are both set have to be of one version',
  ],
])('the refusal %s (%s) of Secrets Manager is explained: %s', async (code, message, meaning, hint, argv = []) => {
  const desk = await startDesk()
  desk.aws.failAlways('GetSecretValue', { kind: 'error', code, status: 400, message })
  const outcome = await desk.run({ argv: ['--secret', 'ai/key', ...argv] })
  expect({ outcome, asked: desk.aws.requests.length }).toEqual({
    outcome: failure(5, `${noSecret('ai/key')} ${code}: ${meaning}`, hint),
    asked: 1,
  })
})

test.each<[code: string, message: string, meaning: string, hint: string]>([
  [
    'ParameterNotFound',
    '',
    unknown,
    `correct the name, the region or the profile; the names are listed by: aws ssm describe-parameters ${place}`,
  ],
  [
    'ParameterVersionNotFound',
    'canary',
    'it has no such version or label',
    `correct what follows the colon; its versions are listed by: aws ssm get-parameter-history --name /ai/key ${place}`,
  ],
  [
    'AccessDeniedException',
    'User: canary is not authorized to perform: ssm:GetParameter',
    'a policy does not permit ssm:GetParameter',
    statement('ssm:GetParameter', 'arn:aws:ssm:eu-central-1:*:parameter/ai/key'),
  ],
  [
    'AccessDeniedException',
    'The ciphertext refers to a customer master key that does not exist, does not exist in this region, or you are not allowed to access.',
    'its KMS key may not be used',
    kms,
  ],
  [
    'InvalidKeyId',
    'canary',
    'its KMS key cannot decrypt it',
    'have an administrator of that key enable it, or have the value stored again under another key',
  ],
])('the refusal %s (%s) of Parameter Store is explained: %s', async (code, message, meaning, hint) => {
  const desk = await startDesk()
  desk.aws.failAlways('GetParameter', { kind: 'error', code, status: 400, message })
  expect(await desk.run({ argv: ['--parameter', '/ai/key:3'] })).toEqual(
    failure(5, `AWS Systems Manager in eu-central-1 did not give the parameter "/ai/key:3": ${code}: ${meaning}`, hint),
  )
})

const { gone, kept } = { gone: 'ai/gone', kept: 'ai/key' }
test.each([
  [
    'a secret that was never stored',
    ['--secret', 'ai/other'],
    `${noSecret('ai/other')} ResourceNotFoundException: ${unknown}`,
  ],
  [
    'a version that was never stored',
    ['--secret', kept, '--version-stage', 'AWSPENDING'],
    `${noSecret(kept)} ResourceNotFoundException: it has no such version`,
  ],
  [
    'a secret that was deleted',
    ['--secret', gone],
    `${noSecret(gone)} InvalidRequestException: it is scheduled for deletion`,
  ],
  [
    'a parameter that was never stored',
    ['--parameter', '/ai/key'],
    `AWS Systems Manager in eu-central-1 did not give the parameter "/ai/key": ParameterNotFound: ${unknown}`,
  ],
])('the words for %s are those of the real answer', async (_, argv, words) => {
  const desk = await startDesk()
  for (const name of [gone, kept]) desk.aws.putSecret(name, 'canary')
  desk.aws.deleteSecret(gone)
  expect((await desk.run({ argv })).stderr.split('\n')[0]).toBe(`aws-secret: ${words}`)
})

test.each<[code: string, status: number, message: string, hint: string]>([
  [
    'UnrecognizedClientException',
    5,
    `${noSecret('ai/key')} UnrecognizedClientException: the access key does not exist, or no longer exists`,
    'put current keys into profile "dev" of CONFIG or CREDENTIALS',
  ],
  [
    'ThrottlingException',
    6,
    'AWS Secrets Manager in eu-central-1 is busy or broken (ThrottlingException, HTTP 400)',
    'try again in a moment',
  ],
  [
    'SomethingNewException',
    5,
    `${noSecret('ai/key')} SomethingNewException`,
    'look the code up in the documentation of GetSecretValue',
  ],
])('%s of AWS is explained', async (code, status, message, hint) => {
  const desk = await startDesk()
  desk.aws.failAlways('GetSecretValue', { kind: 'error', code, status: 400, message: 'canary' })
  const way = hint.replace('CONFIG', `${desk.home}/.aws/config`).replace('CREDENTIALS', `${desk.home}/.aws/credentials`)
  expect(await desk.run({ argv: ['--secret', 'ai/key'] })).toEqual(failure(status, message, way))
})

test('a hint with a command of the AWS CLI names its configuration file', async () => {
  const desk = await startDesk()
  const { configPath } = await desk.writeElsewhere()
  desk.aws.failAlways('GetParameter', { kind: 'error', code: 'ParameterNotFound', status: 400 })
  const { stderr } = await desk.run({ argv: ['--parameter', 'key'], env: { AWS_CONFIG_FILE: configPath } })
  expect(stderr).toBe(
    [
      'aws-secret: AWS Systems Manager in eu-central-1 did not give the parameter "key": ParameterNotFound: there is none of that name in this account and region',
      `aws-secret: hint: with AWS_CONFIG_FILE set to ${configPath}, correct the name, the region or the profile; the names are listed by: aws ssm describe-parameters --region eu-central-1 --profile dev`,
      '',
    ].join('\n'),
  )
})
