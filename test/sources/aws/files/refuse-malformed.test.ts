import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { readAwsFiles } from '../../../../src/sources/aws/files/aws-files.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

/** Reads a configuration file with this content; gives its failure, in which the file is called `/c`. */
async function read(content: string | Buffer): Promise<unknown> {
  const home = await temporaryDirectory()
  const path = join(home, 'c')
  await writeFile(path, content)
  return readAwsFiles({ env: { AWS_CONFIG_FILE: path }, home }).then(
    () => 'read',
    ({ kind, message, hint }: HelperError) =>
      new HelperError(kind, message.replaceAll(path, '/c'), hint.replaceAll(path, '/c')),
  )
}

const neither = (line: number) => `/c is malformed: line ${line} is neither a [section] nor a "key = value" inside one`

// Files that the configparser of the AWS CLI (2.36) refuses as well.
test.each<[what: string, content: string | Buffer, message: string, hint: string]>([
  ['a setting before any heading', 'region = x', neither(1), 'correct line 1 of /c'],
  ['a heading without its bracket', '[default]\n[profile dev\n', neither(2), 'correct line 2 of /c'],
  ['a heading without a name', '[default]\n[]\n', neither(2), 'correct line 2 of /c'],
  ['a key without a value', '[default]\nregion\n', neither(2), 'correct line 2 of /c'],
  ['a value without a key', '[default]\n= x\n', neither(2), 'correct line 2 of /c'],
  ['a nested line that is no setting', '[default]\ns3 =\n  fast\n', neither(3), 'correct line 3 of /c'],
  [
    'a file of Windows in UTF-16',
    Buffer.from('\uFEFF[default]\n', 'utf16le'),
    '/c is not UTF-8: line 1 has bytes that mean nothing in it',
    'save /c as UTF-8',
  ],
  [
    'a name in Latin-1',
    Buffer.from('[default]\nrole_session_name = caf\xe9\n', 'latin1'),
    '/c is not UTF-8: line 2 has bytes that mean nothing in it',
    'save /c as UTF-8',
  ],
  [
    'a section that begins twice',
    '[profile dev]\nregion = x\n[default]\n\n[profile dev]\noutput = json\n',
    '/c is malformed: line 5 begins [profile dev] again, after line 1',
    'move what is below line 5 of /c to line 1',
  ],
  [
    'a key that is set twice, whatever its case',
    '[default]\nregion = x\nRegion = y\n',
    '/c is malformed: line 3 sets region again, after line 2',
    'remove line 2 or line 3 of /c',
  ],
])('%s is refused', async (_, content, message, hint) => {
  expect(await read(content)).toEqual(new HelperError('not-configured', message, hint))
})

test.each([
  ['the same key in two sections', '[default]\nregion = x\n[profile dev]\nregion = x\n'],
  ['the same key in two nested settings', '[services x]\nsts =\n  endpoint_url = a\nssm =\n  endpoint_url = b\n'],
  ['indented settings', '[default]\n  region = x\n  output = json\n'],
  ['a comment in Latin-1', Buffer.from('[default] # caf\xe9\n', 'latin1')],
  ['comments everywhere', '; a\n[default] # b\nregion = x ; c\n  # d\n'],
])('%s is well-formed', async (_, content) => {
  expect(await read(content)).toBe('read')
})
