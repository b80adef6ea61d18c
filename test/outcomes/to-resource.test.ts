import { expect, test } from 'vitest'
import { toResource } from '../../src/outcomes/run-sender.ts'

test('the default attributes name program, machine and system', () => {
  expect(toResource([], '1.2.3', { platform: 'linux', machine: 'desk' })).toEqual({
    'service.name': 'gatepass',
    'service.version': '1.2.3',
    'host.name': 'desk',
    'os.type': 'linux',
  })
})

test('attributes of the options stand beside the defaults and over them, and an empty one leaves a default out', () => {
  const given = ['host.name=', 'os.type=', 'service.name=keys', 'site=a=b']
  expect(toResource(given, '1.2.3', { platform: 'linux', machine: 'desk' })).toEqual({
    'service.name': 'keys',
    'service.version': '1.2.3',
    site: 'a=b',
  })
})

test.each([
  ['win32', 'windows'],
  ['darwin', 'darwin'],
  ['linux', 'linux'],
] as const)('the system that Node calls %s is %s', (platform, name) => {
  expect(toResource([], '1.2.3', { platform, machine: 'desk' })['os.type']).toBe(name)
})
