import { expect, test } from 'vitest'
import { hideMailAddresses } from '../../../src/cli/doctor/ticket.ts'

test.each([
  ['dana.o+x@mail.example.com is signed in since 09:00', '[mail address] is signed in since 09:00'],
  ['arn:aws:sts::1:assumed-role/dev/dana@example.com', 'arn:aws:sts::1:assumed-role/dev/[mail address]'],
  ['https://id.example.com/@team and a@b', 'https://id.example.com/@team and a@b'],
])('%j is shown as %j', (text, hidden) => {
  expect(hideMailAddresses(text)).toBe(hidden)
})
