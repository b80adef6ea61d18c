import { expect, test } from 'vitest'
import { renderDebianName, renderRpmName } from '../../src/suite/package-files.ts'

test.each([
  ['1.2.3', 'gatepass_1.2.3_amd64.deb', 'gatepass-1.2.3-1.x86_64.rpm'],
  ['1.0.0-beta.1', 'gatepass_1.0.0~beta.1_amd64.deb', 'gatepass-1.0.0~beta.1-1.x86_64.rpm'],
])('the package files of version %s are named as each package manager names them', (version, debian, rpm) => {
  const names = [renderDebianName('gatepass', version, 'amd64'), renderRpmName('gatepass', version, 'x86_64')]
  expect(names).toEqual([debian, rpm])
})
