import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { identityFamilies, identityNames, isIdentityVariable } from '../../../src/runtime/program/identity-variables.ts'
import { identityVariables, noise } from '../../sources/program/known-tools.ts'

test('every variable by which a known tool chooses an identity counts, unlike one that is set anew for each process', () => {
  const decisive = Object.values(identityVariables).flat()
  const missed = decisive.filter((name) => !isIdentityVariable(name))
  expect({ missed, counted: noise.filter(isIdentityVariable) }).toEqual({ missed: [], counted: [] })
})

test.each<[boolean, string]>([
  [true, 'AWS_PROFILE'],
  [true, 'aws_profile'],
  [true, 'Http_Proxy'],
  [true, 'TF_TOKEN_app_terraform_io'],
  [false, 'TF_LOG'],
  [false, 'AWS'],
  [false, 'AWSX'],
  [false, 'TF_TOKENX'],
  [true, 'GIT_CONFIG_COUNT'],
  [false, '_AWS_PROFILE'],
  [false, 'GIT_EDITOR'],
  [false, 'GITHUB_OUTPUT'],
  [false, 'github_env'],
  [false, ''],
])('it is %s that %s counts', (counts, name) => {
  expect(isIdentityVariable(name)).toBe(counts)
})

test('the page of the cache lists every family and every name', () => {
  const page = readFileSync(join(root, 'docs/cache.md'), 'utf8')
  const section = page.slice(page.indexOf('### Where a program'), page.indexOf('Nothing grows without bound'))
  const listed = new Set([...section.matchAll(/`(?<name>[A-Z][A-Z\d_]+)`/g)].map(({ groups }) => groups!.name!))
  const families = [...identityFamilies].map((word) => `${word}_`)
  expect({
    missing: [...families, ...identityNames].filter((name) => !listed.has(name)),
    unknown: [...listed].filter((name) => name.endsWith('_') && !families.includes(name)),
  }).toEqual({ missing: [], unknown: [] })
})
