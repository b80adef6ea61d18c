import { mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { type FailureKind, HelperError } from '../../../src/runtime/failure.ts'
import { knownPrograms, locateKnownFiles } from '../../../src/sources/program/known-files.ts'
import { readWatchedFiles } from '../../../src/sources/program/program-identity.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

let home = ''

beforeEach(async () => {
  home = await temporaryDirectory()
})

async function write(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(home, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text, { mode })
  return path
}

type Watched = Partial<Parameters<typeof readWatchedFiles>[1]>
const host = () => ({ env: {}, home, platform: 'linux' }) as const
/** Digests of what is in the files, as they were and as they are. */
async function digest(watched: Watched) {
  const { found, look } = await readWatchedFiles(host(), { named: [], known: [], programs: [], ...watched })
  return { digest: await found.readContent(), read: async () => (await look()).readContent(), found, look }
}
const watch = (...named: string[]) => digest({ named })

describe('the digest of a watched file', () => {
  const past = 1_000_000
  const changes: Record<string, (path: string) => Promise<unknown>> = {
    'another text of the same length and time': async (path) => {
      await write('settings', 'account = robin')
      await utimes(path, past, past)
    },
    'it is gone': (path) => rm(path),
    'it is empty': () => write('settings', ''),
    'a link to another file': async (path) => {
      await rm(path)
      await symlink(await write('other', 'account = robin'), path)
    },
    'another character, in bytes that are no text': () => write('settings', '\xff'),
  }

  test.each(Object.entries(changes))('differs where there is %s', async (_, change) => {
    const path = await write('settings', 'account = dana_')
    await utimes(path, past, past)
    const { digest, read } = await watch(path)
    await change(path)
    expect(await read()).not.toBe(digest)
  })

  test('differs where a missing one appears, also below a directory that was missing', async () => {
    const { digest, read } = await watch('~/tool/settings')
    await write('tool/settings', '')
    expect(await read()).not.toBe(digest)
  })

  test('is read only where sizes or times changed', async () => {
    const path = await write('settings', 'account = dana_')
    await utimes(path, past, past)
    const { found, look } = await watch(path, '~/missing')
    const same = await look()
    await write('settings', 'account = robin')
    await utimes(path, past, past)
    const isChanged = (await look()).state !== found.state
    expect({ state: same.state, changedAt: same.changedAt, isChanged }).toEqual({
      state: found.state,
      changedAt: found.changedAt,
      isChanged: true,
    })
  })

  test('says when the file changed, whatever time it was given, and nothing of one that is missing', async () => {
    const path = await write('settings', 'account = dana_')
    await utimes(path, past, past)
    const [written, missing] = [(await watch(path)).found, (await watch('~/missing')).found]
    expect([Math.abs(written.changedAt - Date.now()) < 60_000, missing.changedAt]).toEqual([true, 0])
  })

  test('is the same for the same text, by any writer at any time', async () => {
    const path = await write('settings', 'account = dana')
    const { digest, read } = await watch(path)
    await rename(await write('new', 'account = dana'), path)
    expect(await read()).toBe(digest)
    await rm(path)
    await write('settings', 'account = dana')
    expect(await read()).toBe(digest)
  })

  test.each([1, 20_000, 2_000_000])(
    'tells bytes apart that are not text, in a file of the length %i',
    async (length) => {
      const path = join(home, 'bytes')
      await writeFile(path, Buffer.alloc(length, 0xfe))
      const { digest, read } = await watch(path)
      const before = await read()
      await writeFile(path, Buffer.alloc(length, 0xff))
      expect([before, (await read()) === digest]).toEqual([digest, false])
    },
  )

  test('differs with the program itself', async () => {
    const file = await write('tool', '#!/bin/sh\n', 0o755)
    const { findProgramFile } = await import('../../../src/runtime/program/find-program-file.ts')
    const found = await findProgramFile({ name: file }, host())
    const { digest: before, read } = await digest({ programs: [found!] })
    expect(await read()).toBe(before)
    await write('tool', '#!/bin/bash\n')
    expect(await read()).not.toBe(before)
  })
})

test.each<[what: string, path: () => Promise<string> | string, kind: FailureKind, message: string, hint: string]>([
  [
    'depends on the working directory',
    () => 'settings',
    'usage',
    'watch names a path that is not absolute',
    'write the absolute path of the file, or one that begins with ~/',
  ],
  [
    'is a directory',
    () => home,
    'not-configured',
    'watch names PATH, which is not a file',
    'name the files in it that decide the account',
  ],
  [
    'cannot be read',
    async () => {
      await symlink(join(home, 'loop'), join(home, 'loop'))
      return join(home, 'loop')
    },
    'not-configured',
    'watch names PATH, which cannot be read (ELOOP)',
    "make it readable for the user who runs this, or remove it; see: ls -ld 'PATH'",
  ],
])('a named path that %s is refused', async (_, path, kind, message, hint) => {
  const named = await path()
  await expect(watch(named)).rejects.toEqual(
    new HelperError(kind, message.replace('PATH', named), hint.replace('PATH', named)),
  )
})

test('a file of a known program that cannot be read has a digest of its own', async () => {
  await symlink(join(home, 'loop'), join(home, 'loop'))
  const known = [home, join(home, 'loop'), 'relative']
  const { paths, found } = await readWatchedFiles(host(), { named: [], known, programs: [] })
  expect([await found.readContent(), paths]).toEqual([expect.any(String), [home, join(home, 'loop')]])
})

describe('the files of well-known programs', () => {
  const find = (
    names: string[],
    env: Record<string, string> = {},
    platform: NodeJS.Platform = 'linux',
    words: string[] = [],
  ) => locateKnownFiles(names, { env, home, platform }, words)
  const below = (...paths: string[]) => paths.map((path) => join(home, path))

  test.each<[name: string, env: Record<string, string>, files: string[]]>([
    ['/usr/bin/az', {}, ['.azure/azureProfile.json', '.azure/config', '.azure/clouds.config']],
    ['az.cmd', {}, ['.azure/azureProfile.json', '.azure/config', '.azure/clouds.config']],
    ['gh', {}, ['.config/gh/hosts.yml']],
    ['glab', {}, ['.config/glab-cli/config.yml', 'Library/Application Support/glab-cli/config.yml']],
    ['vault', {}, ['.vault-token', '.vault']],
    ['op', {}, ['.op/config', '.config/op/config']],
    ['kubectl', {}, ['.kube/config']],
    ['databricks', {}, ['.databrickscfg', '.databricks/token-cache.json']],
    ['aws-vault', {}, ['.aws/config', '.aws/credentials']],
    ['curl', {}, ['.netrc', '.curlrc']],
    ['bao', {}, ['.vault-token', '.bao']],
    ['oc', {}, ['.kube/config']],
    [
      'snow',
      {},
      [
        '.snowflake/config.toml',
        '.snowflake/connections.toml',
        '.config/snowflake/config.toml',
        '.config/snowflake/connections.toml',
      ],
    ],
    ['saml2aws', {}, ['.aws/config', '.aws/credentials', '.saml2aws']],
    ['okta-aws-cli', {}, ['.aws/config', '.aws/credentials', '.okta/okta.yaml']],
    ['gimme-aws-creds', {}, ['.aws/config', '.aws/credentials', '.okta_aws_login_config']],
    ['docker', {}, ['.docker/config.json']],
    ['az.exe.old', {}, []],
    ['my-script', {}, []],
    ['constructor', {}, []],
  ])('of %s are these below the home directory', async (name, env, files) => {
    expect(await find([name], env)).toEqual(below(...files))
  })

  test.each<[name: string, env: Record<string, string>, files: string[]]>([
    ['az', { AZURE_CONFIG_DIR: '/a' }, ['/a/azureProfile.json', '/a/config', '/a/clouds.config']],
    ['gh', { XDG_CONFIG_HOME: '/x' }, ['/x/gh/hosts.yml']],
    ['gh', { XDG_CONFIG_HOME: '/x', GH_CONFIG_DIR: '/g' }, ['/g/hosts.yml']],
    ['kubectl', { KUBECONFIG: '/k1:/k2:' }, ['/k1', '/k2']],
    ['aws', { AWS_CONFIG_FILE: '/c', AWS_SHARED_CREDENTIALS_FILE: '/s' }, ['/c', '/s']],
    ['tsh', { TELEPORT_HOME: '/t' }, ['/t/current-profile']],
    [
      'glab',
      { GLAB_CONFIG_DIR: '/g', XDG_CONFIG_HOME: '/x' },
      ['/g/config.yml', '/x/glab-cli/config.yml', join('HOME', 'Library/Application Support/glab-cli/config.yml')],
    ],
    ['curl', { NETRC: '/n', CURL_HOME: '/c' }, ['/n', '/c/.curlrc']],
    ['docker', { DOCKER_CONFIG: '/d' }, ['/d/config.json']],
  ])('of %s with %j are elsewhere', async (name, env, files) => {
    expect(await find([name], env)).toEqual(files.map((path) => path.replace(/^HOME/, home)))
  })

  test('of gcloud are those of the active configuration, by argument, variable or file', async () => {
    const base = ['active_config', 'credentials.db', 'application_default_credentials.json'].map(
      (name) => `.config/gcloud/${name}`,
    )
    const withName = (name: string) => below(...base, `.config/gcloud/configurations/config_${name}`)
    const bare = await find(['gcloud'])
    await write('.config/gcloud/active_config', 'work\n')
    const found = {
      bare,
      byFile: await find(['gcloud']),
      byVariable: await find(['gcloud'], { CLOUDSDK_ACTIVE_CONFIG_NAME: 'home' }),
      byArgument: await find(['gcloud'], {}, 'linux', ['auth', '--configuration=lab']),
      byTwoArguments: await find(['gcloud'], {}, 'linux', ['--configuration', 'lab']),
    }
    expect(found).toEqual({
      bare: withName('default'),
      byFile: withName('work'),
      byVariable: withName('home'),
      byArgument: withName('lab'),
      byTwoArguments: withName('lab'),
    })
  })

  test('of Windows are below the roaming settings, where the program keeps them there', async () => {
    const env = { APPDATA: '/roaming' }
    const found = {
      gh: await find(['gh.exe'], env, 'win32'),
      gcloud: (await find(['gcloud.cmd'], env, 'win32'))[0],
      gcloudByDefault: (await find(['gcloud.cmd'], {}, 'win32'))[0],
      snow: (await find(['snow'], { LOCALAPPDATA: '/local' }, 'win32'))[2],
      curl: (await find(['curl.exe'], env, 'win32'))[0],
      az: await find(['az.cmd'], env, 'win32'),
    }
    expect(found).toEqual({
      gh: ['/roaming/GitHub CLI/hosts.yml'],
      gcloud: '/roaming/gcloud/active_config',
      gcloudByDefault: join(home, 'AppData/Roaming/gcloud/active_config'),
      snow: '/local/snowflake/config.toml',
      curl: join(home, '_netrc'),
      az: below('.azure/azureProfile.json', '.azure/config', '.azure/clouds.config'),
    })
  })

  test('are on the page of the cache', async () => {
    const page = await readFile(join(root, 'docs/cache.md'), 'utf8')
    expect(Object.keys(knownPrograms).filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  test('of macOS are in its library, where the program keeps them there', async () => {
    expect(await find(['snow'], {}, 'darwin')).toEqual([
      `${home}/.snowflake/config.toml`,
      `${home}/.snowflake/connections.toml`,
      `${home}/Library/Application Support/snowflake/config.toml`,
      `${home}/Library/Application Support/snowflake/connections.toml`,
    ])
    expect(await find(['gh'], {}, 'darwin')).toEqual(below('.config/gh/hosts.yml'))
  })

  test('of kubectl are those that an argument names', async () => {
    expect(await find(['kubectl'], { KUBECONFIG: '/k' }, 'linux', ['--kubeconfig', '/a'])).toEqual(['/a'])
    expect(await find(['kubectl'], {}, 'linux', ['--kubeconfig=/a', '--kubeconfiguration=/b'])).toEqual(['/a'])
  })

  test('of several programs in one line are listed once', async () => {
    expect(await find(['aws', 'jq', 'granted'])).toEqual(below('.aws/config', '.aws/credentials'))
  })

  test('of pass is the entry that is shown', async () => {
    expect(await find(['pass'], {}, 'linux', ['show', 'ai/gateway', '-c'])).toEqual(
      below('.password-store/ai/gateway.gpg'),
    )
    expect(await find(['pass'], {}, 'linux', ['show'])).toEqual([])
  })
})
