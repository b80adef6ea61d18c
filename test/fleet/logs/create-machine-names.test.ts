import { expect, test } from 'vitest'
import { createMachineNames } from '../../../src/fleet/logs/collect-logs.ts'

const helpers = new Set(['aws-bedrock-token'])

test.each([
  [
    'a file for each machine',
    ['logs/pc-1.log', 'logs/pc-2.corp.example.log.1.gz', 'logs/pc-3.json-20260302'],
    ['pc-1', 'pc-2.corp.example', 'pc-3'],
  ],
  [
    'a folder for each',
    ['logs/pc-1/aws.log', 'logs/pc-1/git.log', 'logs/pc-2/aws.log.2', 'logs/pc-2/git.log'],
    ['pc-1', 'pc-1', 'pc-2', 'pc-2'],
  ],
  ['one file in a folder', ['logs/pc-1/aws.log'], ['pc-1']],
  ['a file named for its helper', ['logs/pc-1/aws-bedrock-token.log', 'logs/pc-1/x.log'], ['pc-1', 'x']],
  [
    'a folder for each day',
    ['logs/2026-03-02/pc-1.log', 'logs/20260303/pc-1.log', 'logs/2026-03/pc-2.log'],
    ['pc-1', 'pc-1', 'pc-2'],
  ],
  ['machines, then days', ['logs/pc-1/2026-03-02/aws.log', 'logs/pc-2/2026-03-02/aws.log'], ['pc-1', 'pc-2']],
])('the files of a directory name their machines: %s', (_what, paths, names) => {
  const files = paths.map((path) => ({ path, below: 'logs' }))
  expect(files.map(createMachineNames(files, helpers))).toEqual(names)
})

test.each([
  ['files', ['/a/pc-1.log', '/a/pc-2.log'], ['pc-1', 'pc-2']],
  ['one file', ['/a/pc-1.log'], ['pc-1']],
  ['files of the same name', ['/a/pc-1/aws.log', '/a/pc-2/aws.log'], ['pc-1', 'pc-2']],
  ['a file named for its helper', ['/a/pc-1/aws-bedrock-token.log'], ['pc-1']],
  ['standard input', ['-'], ['standard input']],
])('files that are given one by one name their machines: %s', (_what, paths, names) => {
  const files = paths.map((path) => ({ path, below: undefined }))
  expect(files.map(createMachineNames(files, helpers))).toEqual(names)
})
