import { describe, expect, test } from 'vitest'
import { parseStsAnswer } from '../../../src/verify/aws/parse-sts-answer.ts'

const arn = 'arn:aws:sts::111122223333:assumed-role/build/ci'
const caller = { arn, account: '111122223333', userId: 'AROAEXAMPLE:ci' }
const leaves = `<Arn>${arn}</Arn><UserId>AROAEXAMPLE:ci</UserId><Account>111122223333</Account>`
const metadata = '<ResponseMetadata><RequestId>1</RequestId></ResponseMetadata>'
const space = 'xmlns="https://sts.amazonaws.com/doc/2011-06-15/"'
const wrap = (inner: string) => `<GetCallerIdentityResponse ${space}>${inner}</GetCallerIdentityResponse>`
const xml = wrap(`<GetCallerIdentityResult>${leaves}</GetCallerIdentityResult>${metadata}`)
const result = { Arn: arn, UserId: 'AROAEXAMPLE:ci', Account: '111122223333' }
const json = (changes: object = {}) =>
  JSON.stringify({
    GetCallerIdentityResponse: {
      GetCallerIdentityResult: { ...result, ...changes },
      ResponseMetadata: { RequestId: '1' },
    },
  })

test.each<[what: string, text: string, type: string]>([
  ['XML', xml, 'text/xml'],
  [
    'XML with a declaration and white space',
    `<?xml version="1.0" encoding="UTF-8"?>\n${xml.replaceAll('><', '>\n  <')}\n`,
    'text/xml; charset=utf-8',
  ],
  ['JSON', json(), 'application/json'],
  ['JSON with a type in capitals', json(), 'Application/JSON; charset=utf-8'],
])('a caller is read from %s', (_, text, type) => {
  expect(parseStsAnswer(text, type)).toEqual({ kind: 'caller', caller })
})

test.each<[what: string, text: string, type: string]>([
  [
    'XML',
    `<ErrorResponse ${space}><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>It&apos;s &lt;late&#62;</Message><Detail/></Error><RequestId>1</RequestId></ErrorResponse>`,
    'text/xml',
  ],
  [
    'JSON',
    JSON.stringify({ Error: { Code: 'ExpiredToken', Message: "It's <late>", Type: 'Sender' }, RequestId: '1' }),
    'application/json',
  ],
])('an error is read from %s', (_, text, type) => {
  expect(parseStsAnswer(text, type)).toEqual({ kind: 'error', code: 'ExpiredToken', message: "It's <late>" })
})

/** Texts that have an ARN somewhere, and are not answers of AWS STS. */
describe('no answer', () => {
  test.each<[what: string, text: string, type?: string | null]>([
    ['a page with an ARN in it', `<html><body>${leaves}</body></html>`],
    ['an answer inside of another text', `<html>${xml}</html>`],
    ['an answer behind another text', `hello ${xml}`],
    ['an answer before another text', `${xml} bye`],
    ['two answers', xml + xml],
    ['another name space', xml.replace('sts.amazonaws.com', 'evil.example')],
    ['no name space', xml.replace(` ${space}`, '')],
    ['a name space within', xml.replace('<Arn>', '<Arn xmlns="https://sts.amazonaws.com/doc/2011-06-15/">')],
    ['another attribute', xml.replace('<Arn>', '<Arn a="b">')],
    ['two ARNs', xml.replace('<UserId>', `<Arn>${arn}</Arn><UserId>`)],
    ['an ARN in a comment', xml.replace('<Arn>', '<!-- --><Arn>')],
    ['a section of characters', xml.replace(arn, `<![CDATA[${arn}]]>`)],
    ['a document type', `<!DOCTYPE a [<!ENTITY x "y">]>${xml}`],
    ['an entity of its own', xml.replace(arn, '&x;')],
    ['a declaration in the middle', xml.replace('<Arn>', '<?xml version="1.0"?><Arn>')],
    ['the caller beside the result', wrap(`<GetCallerIdentityResult/>${leaves}`)],
    ['the caller in another operation', xml.replaceAll('GetCallerIdentity', 'AssumeRole')],
    ['one element more', xml.replace(metadata, `${metadata}<Arn>x</Arn>`)],
    ['no account', xml.replace('<Account>111122223333</Account>', '')],
    ["another account's ARN", xml.replace('<Account>111122223333', '<Account>444455556666')],
    ['an account that is a name', xml.replaceAll('111122223333', 'corp')],
    ['an ARN of another service', xml.replace('arn:aws:sts', 'arn:aws:s3')],
    ['an ARN with a line break', xml.replace('/ci</Arn>', '/ci\nX-Admin: 1</Arn>')],
    ['no user id', xml.replace('AROAEXAMPLE:ci</UserId>', '</UserId>')],
    ['an end that is missing', xml.slice(0, -3)],
    ['an element that ends another', xml.replace('</Arn>', '</UserId>')],
    ['text beside elements', xml.replace('<UserId>', 'x<UserId>')],
    ['very deep elements', `<a ${space}>${'<a>'.repeat(2000)}${'</a>'.repeat(2000)}</a>`],
    ['nothing', ''],
    ['a text of another type', xml, 'text/html'],
    ['a text without a type', xml, null],
    ['XML as JSON', xml, 'application/json'],
    ['JSON as XML', json()],
    ['a list', `[${json()}]`, 'application/json'],
    ['JSON with an ARN beside', json().replace('{', '{"Arn":"x",'), 'application/json'],
    ['JSON with a list of ARNs', json({ Arn: [arn] }), 'application/json'],
    ["JSON with another account's ARN", json({ Account: '444455556666' }), 'application/json'],
    ['JSON with no account', json({ Account: undefined }), 'application/json'],
    ['a caller and an error', json().replace('{', '{"Error":{"Code":"X"},'), 'application/json'],
    ['an error whose code is a sentence', JSON.stringify({ Error: { Code: 'not a code' } }), 'application/json'],
    ['another JSON', '{"status":"ok"}', 'application/json'],
  ])('is read out of %s', (_, text, type = 'text/xml') => {
    expect(parseStsAnswer(text, type)).toBeUndefined()
  })
})

test('JSON that names a caller twice is not an answer, as in XML', () => {
  const twice = json().replace('"Account":', '"Arn":"arn:aws:iam::444455556666:root","Account":')
  expect(parseStsAnswer(twice, 'application/json')).toBeUndefined()
})
