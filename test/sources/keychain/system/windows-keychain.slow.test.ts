import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import {
  createWindowsKeychain,
  locateSealedFile,
} from '../../../../src/sources/keychain/system/create-windows-keychain.ts'
import { toFailureParts } from '../../../setup/failure-parts.ts'
import { startStandInKeychain } from '../../../stand-ins/keychain/system-keychain.ts'

const item = { service: 'api-key', account: 'größe', label: 'Gatepass: API key for größe' }
const other = { ...item, account: 'other' }

const deadline = () => {
  const begin = performance.now()
  return new Deadline({ seconds: 20, hint: 'start again' }, { elapsedMs: () => performance.now() - begin })
}

const start = async () => {
  const standIn = await startStandInKeychain('win32')
  const directory = join(standIn.directory, 'Keychain')
  const keychain = createWindowsKeychain({
    child: standIn.child,
    prompt: 'never',
    otherwise: 'keep it in a file',
    directory,
  })
  return {
    ...standIn,
    file: locateSealedFile(directory, item),
    otherFile: locateSealedFile(directory, other),
    read: () => keychain.read(item, deadline()).then((secret) => secret?.reveal(), toFailureParts),
    readOther: () => keychain.read(other, deadline()).then((secret) => secret?.reveal(), toFailureParts),
    write: (secret: string) => keychain.write(item, new Secret(secret), deadline()).catch(toFailureParts),
    remove: () => keychain.remove(item, deadline()).catch(toFailureParts),
  }
}

test('writes, reads, replaces and removes a secret of any bytes', async () => {
  const { list, read, readOther, write, remove } = await start()
  const secrets = ['one', 'zwei ß € 🔑 \0 "\\', 'x'.repeat(2560), '']
  const seen: unknown[] = [await read()]
  for (const secret of secrets) seen.push(await write(secret), await read())
  const target = Buffer.from('gatepass/api-key/größe', 'utf16le').swap16().toString('hex')
  expect({
    seen,
    list: await list(),
    other: await readOther(),
    removed: [await remove(), await remove(), await read()],
  }).toEqual({
    seen: [undefined, ...secrets.flatMap((secret) => [undefined, secret])],
    list: [`credential ${target}`],
    other: undefined,
    removed: [true, false, undefined],
  })
})

test('says how long a secret may be', async () => {
  const { write } = await start()
  expect(await write('x'.repeat(2561))).toEqual([
    'not-configured',
    'the secret is longer than the 2560 bytes that the Credential Manager takes (CredWriteW: 87)',
    'check that it is the secret and nothing else; or keep it in a file',
  ])
})

test('knows why a call failed although the runtime has called Windows in between', async () => {
  const { behave, read } = await start()
  await behave('lost', 3)
  const seldom = await read()
  await behave('lost', 1000)
  expect([seldom, await read()]).toEqual([
    undefined,
    [
      'unavailable',
      'the Windows Credential Manager failed (CredReadW: 0)',
      'see what the code means: net helpmsg 0; or keep it in a file',
    ],
  ])
})

test('a session without Credential Manager keeps the secret in a sealed file', async () => {
  const { behave, file, otherFile, read, readOther, write, remove } = await start()
  await behave('no session')
  const seen = [await read(), await remove(), await write('over SSH'), await read()]
  const sealed = await readFile(file, 'utf8')
  const isReadable = Buffer.from(sealed, 'base64').toString('latin1').includes('over SSH')
  // The file of one item is of no use for another one.
  await writeFile(otherFile, sealed)
  expect({ seen, isReadable, other: await readOther() }).toEqual({
    seen: [undefined, false, undefined, 'over SSH'],
    isReadable: false,
    other: [
      'not-configured',
      'the secret that a session without Credential Manager stored cannot be opened: it is damaged, or belongs to another user (CryptUnprotectData: 13)',
      'store the secret again; or keep it in a file',
    ],
  })
})

test('sessions with and without Credential Manager find the last secret of the other one', async () => {
  const { behave, cease, file, read, write, remove } = await start()
  await behave('no session')
  await write('over SSH')
  await cease('no session')
  const atTheDesk = [await read(), await write('at the desk'), await read()]
  // A session with Credential Manager replaces the file.
  const isFileLeft = existsSync(file)
  await behave('no session')
  await write('over SSH again')
  await cease('no session')
  // The value in the file is the newer one.
  const later = [await read(), await remove(), await read()]
  expect({ atTheDesk, isFileLeft, later }).toEqual({
    atTheDesk: ['over SSH', undefined, 'at the desk'],
    isFileLeft: false,
    later: ['over SSH again', true, undefined],
  })
})

test('a session that cannot seal anything is told where the secret would be kept', async () => {
  const { behave, write } = await start()
  await behave('no session')
  await behave('no key')
  expect(await write('over SSH')).toEqual([
    'unavailable',
    'the Data Protection API of Windows stores nothing for this session, such as a session over SSH with a key, or a service (CryptProtectData: 0x80090345)',
    'sign in to the desktop of this machine, or over SSH with the password, and start this there; or keep it in a file',
  ])
})

test('a refusal by Windows is passed on', async () => {
  const { behave, read } = await start()
  await behave('status', 5)
  expect(await read()).toEqual([
    'refused',
    'Windows refused access to the Credential Manager (CredReadW: 5)',
    'ask whoever manages this machine to allow it; or keep it in a file',
  ])
})
