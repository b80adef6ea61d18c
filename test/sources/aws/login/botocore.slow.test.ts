import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { readToken } from '../../../helpers/aws-bedrock-token/read-token.ts'
import { inMinutes, signInToConsole } from '../../../helpers/aws-bedrock-token/sign-in.ts'
import { startWorkbench, user } from '../../../helpers/aws-bedrock-token/workbench.ts'

/** Reads a sign-in as botocore does, and stores it again in another directory. */
const script = `
import sys, json
from botocore.credentials import LoginCredentialFetcher
from botocore.utils import JSONFileCache, LoginTokenLoader
ours, copy, session = sys.argv[1:]
loader = LoginTokenLoader(JSONFileCache(ours))
print(json.dumps(LoginCredentialFetcher(session, loader, None).load_cached_credentials()))
LoginTokenLoader(JSONFileCache(copy)).save_token(session, loader.load_token(session))
`

const { exitCode } = await execa('python3', ['-c', 'from botocore.utils import LoginTokenLoader'], { reject: false })

// Runs where botocore is installed, and knows this kind of sign-in.
if (exitCode === 0)
  test('botocore reads what a renewal wrote, and would write the same bytes under the same name', async () => {
    await using bench = await startWorkbench()
    const directory = await signInToConsole(bench, user, inMinutes(-5))
    readToken(await bench.run({ argv: ['--profile', 'dev', '--client-ttl', '600'] }))
    const path = directory.loginCachePath(user)
    const copy = join(bench.home, 'copy')
    await mkdir(copy)
    const { stdout } = await execa('python3', ['-c', script, join(path, '..'), copy, user])
    const { accessToken } = JSON.parse(await readFile(path, 'utf8'))
    const [name = ''] = await readdir(copy)
    expect({
      read: JSON.parse(stdout),
      path: join(path, '..', name),
      text: await readFile(join(copy, name), 'utf8'),
    }).toEqual({
      read: {
        access_key: 'ASIASTANDIN000000002',
        secret_key: accessToken.secretAccessKey,
        token: accessToken.sessionToken,
        expiry_time: accessToken.expiresAt,
        account_id: '111122223333',
      },
      path,
      text: await readFile(path, 'utf8'),
    })
  })
else test('botocore is not installed, or too old to know the console sign-in', () => expect(exitCode).toBe(1))
