import { expect, test } from 'vitest'
import { type AwsApi, findElement, parseAwsError } from '../../../../src/sources/aws/request/aws-error.ts'
import { describeDenial } from '../../../../src/sources/aws/request/request-failures.ts'

const xml = (code: string, message: string) =>
  `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`

test.each<[api: AwsApi, text: string, headers: Record<string, string>, code: string, message: string]>([
  ['sts', xml('AccessDenied', 'a &lt;b&gt; &amp; c'), {}, 'AccessDenied', 'a <b> & c'],
  ['sts', xml('InvalidIdentityToken', 'm'), {}, 'InvalidIdentityTokenException', 'm'],
  ['ssm', '{"__type":"ParameterNotFound"}', {}, 'ParameterNotFound', ''],
  ['ssm', '{"__type":"com.amazonaws.ssm#InvalidKeyId","message":"m"}', {}, 'InvalidKeyId', 'm'],
  ['secretsmanager', '{"code":"X","Message":"m"}', {}, 'X', 'm'],
  ['secretsmanager', '{"Message":"m"}', { 'x-amzn-errortype': 'Y:http://internal.example/' }, 'Y', 'm'],
  ['secretsmanager', 'no JSON', {}, 'no error code', ''],
  ['sts', 'no XML', {}, 'no error code', ''],
])('an error of %s in %j %j is %s', (api, text, headers, code, message) => {
  const error = parseAwsError(api, new Response(text, { status: 400, headers }), text)
  expect({ ...error, message: error.message }).toEqual({ name: code, message, $metadata: { httpStatusCode: 400 } })
})

test('an element is found by its whole name', () => {
  expect(findElement('<A><Token2>x</Token2><Token>a.b</Token></A>', 'Token')).toBe('a.b')
  expect(findElement('<Token><B>x</B></Token>', 'Token')).toBeUndefined()
})

const permission = { action: 'ssm:GetParameter', resource: 'arn:aws:ssm:eu-central-1:1:parameter/a' }
const statement = '{"Effect":"Allow","Action":"ssm:GetParameter","Resource":"arn:aws:ssm:eu-central-1:1:parameter/a"}'

/** The beginning of AWS's messages about a missing permission. */
const denied = 'User: canary is not authorized to perform: ssm:GetParameter on resource: canary'

test.each([
  ['', `have an administrator add this statement to the policies of this identity: ${statement}`],
  [
    `${denied} because no identity-based policy allows the ssm:GetParameter action`,
    `have an administrator add this statement to the policies of this identity: ${statement}`,
  ],
  [
    `${denied} because no service control policy allows the ssm:GetParameter action`,
    `have an administrator add this statement to the service control policy: ${statement}`,
  ],
  [
    `${denied} because no VPC endpoint policy allows the ssm:GetParameter action`,
    `have an administrator add this statement to the VPC endpoint policy: ${statement}`,
  ],
  [
    `${denied} because no permissions boundary allows the ssm:GetParameter action`,
    `have an administrator add this statement to the permissions boundary: ${statement}`,
  ],
  [
    `${denied} with an explicit deny in a service control policy`,
    'have an administrator change the service control policy that denies ssm:GetParameter; a statement that allows it elsewhere does not count',
  ],
])('a denial with the message %j is explained', (message, hint) => {
  expect(describeDenial({ message }, permission)).toBe(hint)
})
