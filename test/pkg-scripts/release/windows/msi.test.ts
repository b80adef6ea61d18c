import { describe, expect, test } from 'vitest'
import { buildMsi } from '../../../../pkg-scripts/release/windows/build-msi.ts'
import { expandEmptyFiles } from '../../../../pkg-scripts/release/windows/expand-empty-files.ts'
import { toComponentCode, toMsiCodes } from '../../../../pkg-scripts/release/windows/msi-codes.ts'
import { listMsiFiles } from '../../../../pkg-scripts/release/windows/msi-files.ts'
import { renderTables } from '../../../../pkg-scripts/release/windows/msi-tables.ts'
import { listHelpers } from '../../../../pkg-scripts/tree.ts'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { testPackage } from './test-package.ts'

describe('the codes of a package', () => {
  test('by which Windows finds older versions never change', () => {
    expect([
      toMsiCodes(testPackage).upgradeCode,
      toMsiCodes({ ...testPackage, name: 'gatepass' }).upgradeCode,
      toComponentCode('gatepass-helpers', 'aws_bedrock_token.exe'),
    ]).toEqual([
      'BD3CCE73-E949-8D06-A718-A36F1D2F0361',
      'AEA3FCE8-5EC9-837A-8885-6B664C47F686',
      '7E374A66-780D-8C79-8E61-DA5D08351AF2',
    ])
  })

  test.each<[what: string, other: Partial<typeof testPackage>]>([
    ['version', { version: '1.2.4' }],
    ['processor', { target: 'win32-arm64' }],
    ['publisher', { publisher: 'Others' }],
    ['executable', { executable: Buffer.from('other') }],
    ['notices', { notices: Buffer.from('other') }],
  ])('change with the %s, except for that of the upgrade', (_, other) => {
    const [one, two] = [toMsiCodes(testPackage), toMsiCodes({ ...testPackage, ...other })]
    const others = new Set([one, two].flatMap(({ productCode, packageCode }) => [productCode, packageCode]))
    expect({ upgradeCode: two.upgradeCode, others: others.size }).toEqual({ upgradeCode: one.upgradeCode, others: 4 })
  })
})

test('every file has a short name of its own in the directory that both programs share', () => {
  const names = listHelpers().map((name) => `${name}.exe`)
  const files = ['gatepass', 'gatepass-helpers'].flatMap((name) => listMsiFiles({ name, names }))
  expect(new Set(files.map(({ shortName }) => shortName)).size).toBe(files.length)
  expect(files.filter(({ shortName }) => !/^[A-Z0-9]{6}~1\.(EXE|TXT)$/.test(shortName))).toEqual([])
})

test('a cabinet’s empty files repeat its first one, and others stay', () => {
  const entry = (name: string, bytes: number, offset: number, folder: number) => {
    const fixed = Buffer.alloc(16, 0xee)
    fixed.writeUInt32LE(bytes, 0)
    fixed.writeUInt32LE(offset, 4)
    fixed.writeUInt16LE(folder, 8)
    return Buffer.concat([fixed, Buffer.from(`${name}\0`)])
  }
  const cabinet = (...entries: Buffer[]) => {
    const header = Buffer.alloc(44)
    header.write('MSCF')
    header.writeUInt32LE(44, 16)
    header.writeUInt16LE(entries.length, 28)
    return Buffer.concat([header, ...entries, Buffer.from('data')])
  }
  const [first, last] = [entry('first', 700, 3, 1), entry('last', 5, 700, 1)]
  expect(expandEmptyFiles(cabinet(first, entry('a', 0, 700, 0), entry('another', 0, 700, 0), last))).toEqual(
    cabinet(first, entry('a', 700, 3, 1), entry('another', 700, 3, 1), last),
  )
})

test('a file of another form is not a cabinet', () => {
  expect(() => expandEmptyFiles(Buffer.from('PK'))).toThrow(new Error('this is no cabinet'))
})

test('nobody but the system and administrators may change the directory, not even a user who has created it before', () => {
  const access = /D:PAI(?:\([^)]*\))+/.exec(renderTables(testPackage, toMsiCodes(testPackage)).join('\n'))?.[0] ?? ''
  const [full, readAndRun] = ['A;OICI;FA;;;', 'A;OICI;0x1200a9;;;']
  expect(access.split('(').map((entry) => entry.replace(')', ''))).toEqual([
    'D:PAI',
    ...['SY', 'BA'].map((who) => full + who),
    ...['OW', 'BU', 'AC'].map((who) => readAndRun + who),
  ])
})

test.each(['1.2.3-rc.1', '1.2', '256.0.0', '1.2.65535'])(
  'a version that Windows Installer cannot compare is refused: %s',
  async (version) => {
    await expect(buildMsi({ ...testPackage, version })).rejects.toEqual(
      new HelperError(
        'not-configured',
        `an MSI cannot have the version ${version}`,
        'choose three numbers, at most 255.255.65534, or build without the format: --without msi',
      ),
    )
  },
)
