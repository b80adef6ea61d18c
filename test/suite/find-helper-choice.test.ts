import { expect, test } from 'vitest'
import { findHelperChoice } from '../../src/suite/find-helper-choice.ts'

const helpers = ['aws-token', 'other-token']

test.each<[what: string, startedAs: string[], argv: string[], choice: ReturnType<typeof findHelperChoice>]>([
  ['the caller’s name', ['/opt/aws-token', '/opt/suite'], ['--x'], { name: 'aws-token', argv: ['--x'] }],
  ['a bare name', ['aws-token', '/opt/suite'], [], { name: 'aws-token', argv: [] }],
  ['the system’s name', ['whatever', '/opt/other-token'], [], { name: 'other-token', argv: [] }],
  ['a Windows path', ['C:\\Program Files\\AWS-Token.EXE'], [], { name: 'aws-token', argv: [] }],
  ['the name before the argument', ['aws-token'], ['other-token'], { name: 'aws-token', argv: ['other-token'] }],
  ['the first argument', ['suite'], ['other-token', 'aws-token'], { name: 'other-token', argv: ['aws-token'] }],
  ['nothing', ['suite'], ['--x', 'aws-token'], undefined],
  ['nothing for a name that goes on', ['aws-token-2'], [], undefined],
])('the suite chooses the helper by %s', (_, startedAs, argv, choice) => {
  expect(findHelperChoice(helpers, startedAs, argv)).toEqual(choice)
})
