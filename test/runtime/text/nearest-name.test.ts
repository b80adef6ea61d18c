import { expect, test } from 'vitest'
import { findNearestName } from '../../../src/runtime/text/nearest-name.ts'

const known = ['profile', 'region', 'q', 'ca', 'cache', 'client-ttl', 'header']

test.each<[name: string, near: string | undefined]>([
  ['profile', 'profile'],
  ['profil', 'profile'],
  ['porfile', 'profile'],
  ['profiles', 'profile'],
  ['reigon', 'region'],
  ['chace', 'cache'],
  ['cahce', 'cache'],
  ['client', 'client-ttl'],
  ['prof', 'profile'],
  ['client-tl', 'client-ttl'],
  ['hx', undefined],
  ['q', 'q'],
  ['x', undefined],
  ['', undefined],
])('for %j the nearest name is %s', (name, near) => {
  expect(findNearestName(name, known)).toBe(near)
})
