import { expect, test } from 'vitest'
import { parsePastedCode } from '../../../../src/sources/aws/login/run-login.ts'

test('a pasted code is accepted with space around it, for this request only', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64')
  const own = ` ${encode('state=mine&code=a%2Fb')}\n`
  const others = ['', 'code', encode('state=other&code=a'), encode('state=mine&code='), encode('code=a')]
  expect([own, ...others].map((text) => parsePastedCode(text, { state: 'mine' }))).toEqual([
    'a/b',
    ...others.map(() => undefined),
  ])
})
