import { existsSync } from 'node:fs'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openRelease } from '../../src/bootstrap/open-release.ts'
import { parsePublicKeys } from '../../src/bootstrap/signed-line.ts'
import { openLock } from '../../src/runtime/files/file-lock.ts'
import { runHere } from '../cli/run-here.ts'
import { fails, prints } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { baseDocument, createRollout } from './rollout-folder.ts'

/** Creates a folder of an organization, a folder for its releases, and a key, as the command makes them. */
async function createPlace(rollout: object = { waves: [10, 100], pilot: ['pat'] }) {
  const folder = await createRollout({ 'rollout.json': rollout })
  const home = await temporaryDirectory()
  const [releases, key] = [join(home, 'releases'), join(home, 'key')]
  await runHere(['bootstrap', 'keygen', '--out', key])
  const run = async (...argv: string[]) => {
    const { status, stdout, stderr } = await runHere(['bootstrap', ...argv])
    const hide = (text: string) =>
      text.replaceAll(releases, 'RELEASES').replaceAll(folder, 'FOLDER').replaceAll(home, 'HOME')
    return { status, stdout: hide(stdout), stderr: hide(stderr) }
  }
  const signed = ['--signing-key', key]
  /** Changes the base document, so that there is something to publish. */
  const change = (to: number) => {
    const { inference } = baseDocument
    const document = { ...baseDocument, inference: { ...inference, streamIdleTimeoutSec: to } }
    return writeFile(join(folder, 'base.json'), JSON.stringify(document))
  }
  return {
    folder,
    releases,
    key,
    run,
    change,
    release: () => run('release', folder, '--to', releases, ...signed),
    move: (...argv: string[]) => run(argv[0]!, releases, ...argv.slice(1), ...signed),
    open: async () => openRelease(releases, parsePublicKeys(await readFile(`${key}.pub`, 'utf8'))),
  }
}

/** Creates a place with a release, a changed document after it, and a second key. */
async function createPublished() {
  const place = await createPlace()
  const { folder, releases, key, run } = place
  await place.release()
  await place.change(600)
  await run('keygen', '--out', `${key}2`)
  return {
    ...place,
    releaseWith: (path: string, ...argv: string[]) =>
      run('release', folder, '--to', releases, '--signing-key', path, ...argv),
    readPointer: () => readFile(join(releases, 'current.json'), 'utf8'),
  }
}

const next = (wave: number) => `Next: gatepass bootstrap promote 'RELEASES' --wave ${wave} --signing-key 'HOME/key'\n`
const revert = "gatepass bootstrap revert 'RELEASES' --signing-key FILE"
const refused = (message: string, hint: string) => fails('gatepass', 5, message, hint)

describe('the life of releases', () => {
  test('goes from everybody to a pilot, through its waves and back', async () => {
    const { release, move, change, open } = await createPlace()
    const outcomes = [await release()]
    await change(600)
    outcomes.push(await release(), await move('promote', '--wave', '1'), await move('halt'))
    outcomes.push(await move('promote', '--wave', '2', '--resume'), await move('revert'))
    await change(800)
    outcomes.push(await release())
    expect(outcomes).toEqual([
      prints('Release 1 is served to everybody.\n'),
      prints(`Release 2 is served to its pilot: 1 person.\n${next(1)}`),
      prints(`Release 2 is served up to wave 1 of 2: 10 % of the people, and the pilot.\n${next(2)}`),
      prints('Release 2 is halted at wave 1: only people who already have it keep it.\n'),
      prints('Release 2 is served to everybody.\n'),
      prints('Release 1 is served to everybody.\n'),
      prints(`Release 3 is served to its pilot: 1 person.\n${next(1)}`),
    ])
    const { pointer, current, previous } = await open()
    expect([pointer.serial, pointer.releases, current.manifest.counter, previous?.manifest.counter]).toEqual([
      7, 3, 3, 1,
    ])
  })

  test('a release is refused while nothing has changed or another one is on its way', async () => {
    const { release, move, change } = await createPlace()
    await release()
    const outcomes = [await release()]
    await change(600)
    await release()
    await change(700)
    outcomes.push(await release())
    await move('promote', '--wave', '1')
    await move('halt')
    outcomes.push(await release())
    const finish = (options: string) => `finish it: gatepass bootstrap promote 'RELEASES' --wave 2 ${options}`
    expect(outcomes).toEqual([
      refused(
        'release 1 has the same documents for the same people',
        'change a document or a group before you publish again',
      ),
      refused(
        'release 2 has reached wave 0 of 2, and only two releases can be served at once',
        `${finish('--signing-key FILE')}; or take it back: ${revert}`,
      ),
      refused(
        'release 2 is halted at wave 1, and only two releases can be served at once',
        `${finish('--resume --signing-key FILE')}; or take it back: ${revert}`,
      ),
    ])
  })

  test('a move that has been made already, or cannot be made now, is refused', async () => {
    const { release, move, change } = await createPlace()
    await release()
    await change(600)
    await release()
    await move('promote', '--wave', '1')
    const outcomes = [await move('promote', '--wave', '1')]
    await move('halt')
    outcomes.push(await move('halt'), await move('promote', '--wave', '2'))
    await move('promote', '--wave', '2', '--resume')
    outcomes.push(await move('halt'))
    await move('revert')
    outcomes.push(await move('revert'))
    expect(outcomes).toEqual([
      refused('release 2 has reached wave 1 already', `pass a later wave, or take it back: ${revert}`),
      refused('release 2 is halted already', `take it back for everybody: ${revert}`),
      refused('release 2 is halted', `pass --resume to go on with it, or take it back: ${revert}`),
      refused('release 2 has reached everybody', `take it back: ${revert}`),
      refused(
        'there is no release before release 1',
        `publish another one: gatepass bootstrap release DIR --to 'RELEASES' --signing-key FILE`,
      ),
    ])
  })

  test('a folder without a release has no wave to promote', async () => {
    const { move } = await createPlace()
    expect(await move('promote', '--wave', '1')).toEqual({
      status: 3,
      stdout: '',
      stderr: `gatepass: there is no release in RELEASES\ngatepass: hint: publish one: gatepass bootstrap release DIR --to 'RELEASES' --signing-key FILE\n`,
    })
  })

  test('an unknown wave is refused', async () => {
    const { release, move, change } = await createPlace()
    await release()
    await change(600)
    await release()
    expect(await move('promote', '--wave', '3')).toEqual(
      fails('gatepass', 2, 'release 2 has no wave 3', 'pass a number from 1 to 2'),
    )
  })

  test('goes on with the keys that were given', async () => {
    const { release, change, run, folder, releases, key } = await createPlace()
    await release()
    await change(600)
    const keys = ['--signing-key', key, '--public-key', `${key}.pub`]
    expect(await run('release', folder, '--to', releases, ...keys)).toEqual(
      prints(
        "Release 2 is served to its pilot: 1 person.\nNext: gatepass bootstrap promote 'RELEASES' --wave 1 --signing-key 'HOME/key' --public-key 'HOME/key.pub'\n",
      ),
    )
  })

  test('with --json each change is one document', async () => {
    const { run, folder, releases, key } = await createPlace()
    const { stdout } = await run('release', folder, '--to', releases, '--signing-key', key, '--json')
    expect(toStableValue(JSON.parse(stdout.replace(/(?<="1-)[0-9a-f]{12}"/, 'DIGEST"')))).toEqual({
      folder: 'RELEASES',
      release: 1,
      id: '1-DIGEST',
      manifest: 'SHA256',
      wave: 2,
      waves: [10, 100],
      state: 'advancing',
      serial: 1,
    })
  })
})

describe('nothing is published', () => {
  test('of a folder with errors', async () => {
    const { release, releases } = await createPlace({ waves: [100, 10] })
    expect({ release: await release(), exists: existsSync(releases) }).toEqual({
      release: {
        status: 1,
        stdout: '',
        stderr: `gatepass: rollout.json: waves: waves grow, and the last one reaches everybody (waves-unordered)
gatepass: hint: write rising numbers that end with 100, such as [1, 10, 50, 100]
gatepass: nothing was published, because of the errors
`,
      },
      exists: false,
    })
  })

  const noKey = (message: string, hint: string) => fails('gatepass', 3, message, hint)

  test.each(['key', 'key.pub'])('with a %s that others can read', async (name) => {
    const { key, run, folder, releases } = await createPlace()
    const path = join(dirname(key), name)
    await chmod(path, 0o644)
    expect(await run('release', folder, '--to', releases, '--signing-key', path)).toEqual(
      noKey(
        `HOME/${name} can be read by other users, who could sign releases with it`,
        `run: chmod 600 'HOME/${name}'`,
      ),
    )
  })

  test('with a key from a variable that is not set', async () => {
    const { run, folder, releases } = await createPlace()
    expect(await run('release', folder, '--to', releases, '--signing-key', 'env:NO_SUCH_KEY')).toEqual(
      noKey('the variable NO_SUCH_KEY is not set', 'set it to the signing key, in PEM'),
    )
  })

  test('with a file that is not a key, without showing its text', async () => {
    const { release, key } = await createPlace()
    await writeFile(key, 'secret-text')
    expect(await release()).toEqual(
      noKey(
        'HOME/key is not a signing key',
        'name an Ed25519 key in PEM without a passphrase; make one with: gatepass bootstrap keygen --out release.key',
      ),
    )
  })

  test('over a release of another key that is not named', async () => {
    const { key, releaseWith, readPointer } = await createPublished()
    const pointer = await readPointer()
    expect([await releaseWith(`${key}2`), await readPointer()]).toEqual([
      refused(
        'current.json is signed with another key',
        'name the public key of whoever publishes this folder; a file may hold several',
      ),
      pointer,
    ])
  })

  test('while another command changes the folder', async () => {
    const { releases, release, readPointer } = await createPublished()
    const pointer = await readPointer()
    const lock = await openLock(join(releases, '.lock'))
    await lock.tryAcquire()
    const outcome = await release()
    await lock.release()
    expect([outcome, await readPointer()]).toEqual([
      fails('gatepass', 6, 'another command is changing RELEASES', 'try again when it has ended'),
      pointer,
    ])
  })
})

describe('a new signing key', () => {
  test('publishes over a release of the old one, whose public key is named', async () => {
    const { key, releaseWith } = await createPublished()
    expect(await releaseWith(`${key}2`, '--public-key', `${key}.pub`)).toEqual(
      prints(`\
Release 2 is served to its pilot: 1 person.
Next: gatepass bootstrap promote 'RELEASES' --wave 1 --signing-key 'HOME/key2' --public-key 'HOME/key.pub'
`),
    )
  })
})

describe('a key pair', () => {
  test('is readable for its owner alone', async () => {
    const { key } = await createPlace()
    const mode = async (path: string) => (await stat(path)).mode & 0o777
    expect([await mode(key), (await mode(`${key}.pub`)) & 0o400]).toEqual([0o600, 0o400])
  })

  test('is never overwritten', async () => {
    const { key, run } = await createPlace()
    const before = await readFile(key)
    expect([await run('keygen', '--out', key), await readFile(key)]).toEqual([
      refused('HOME/key exists already', 'name a file that does not exist: a key that is overwritten is lost'),
      before,
    ])
  })
})

describe('the document of a person', () => {
  const groups = [{ name: 'eng', claims: { groups: ['eng'] }, overlays: ['o/eng.json'] }]
  const overlay = { inference: { customHeaders: { 'x-team': 'eng' } } }

  test('is explained value by value, with the file and line of each', async () => {
    const folder = await createRollout({ 'rollout.json': { groups }, 'o/eng.json': overlay })
    const argv = ['bootstrap', 'explain', folder, '--subject', 'a\nb', '--claim', 'groups=x', '--claim', 'groups=eng']
    expect(await runHere(argv)).toEqual(
      prints(`a b is in eng.
Document 1c441af88deb:
  inference.baseUrl: "https://gateway.example.com"  (base.json line 5)
  inference.credential.command: "/opt/acme/helper"  (base.json line 8)
  inference.credential.commandWindows: "C:\\\\Acme\\\\helper.exe"  (base.json line 9)
  inference.credential.kind: "helper-script"  (base.json line 7)
  inference.customHeaders.x-team: "eng"  (o/eng.json line 4)
  inference.provider: "gateway"  (base.json line 4)
`),
    )
  })

  const nothing = (detail: string) => [1, `This person gets no document: ${detail}.`, '']
  test.each([
    [
      'is missing without the claim that a header holds',
      [],
      nothing('a header asks for {claims.email}, which the token does not have; it has sub'),
    ],
    [
      'is missing with a claim that no header can hold',
      ['--claim', 'email=a@b.c\r\nx-admin: 1'],
      nothing('inference.customHeaders.x-user: the value of "x-user" has a character beyond visible ASCII and spaces'),
    ],
    ['is given with the claim that the header holds', ['--claim', 'email=a@b.c'], [0, 'Document 1f98947276e3:', '']],
  ])('%s', async (_, claims, outcome) => {
    const headers = { 'x-user': '{claims.email}', 'x-key': 'Bearer {secret.KEY}', 'x-text': '{other}' }
    const document = { inference: { ...baseDocument.inference, customHeaders: headers } }
    const folder = await createRollout({ 'rollout.json': {}, 'base.json': document })
    const { status, stdout, stderr } = await runHere(['bootstrap', 'explain', folder, '--subject', 'a', ...claims])
    expect([status, stdout.split('\n')[1], stderr]).toEqual(outcome)
  })

  test('is missing for strangers where the rollout says so', async () => {
    const folder = await createRollout({ 'rollout.json': { groups, others: 'nothing' }, 'o/eng.json': overlay })
    expect(await runHere(['bootstrap', 'explain', folder, '--subject', 'a', '--claim', 'groups=eng\n'])).toEqual({
      status: 1,
      stdout: 'a is in no group.\nThis person gets no document, because rollout.json gives others nothing.\n',
      stderr: '',
    })
  })

  /** Creates a place whose release is live, and the options by which a command reads that. */
  async function createLive() {
    const place = await createPlace()
    await place.change(600)
    await place.release()
    return { ...place, live: ['--release', place.releases, '--public-key', `${place.key}.pub`] }
  }

  /** Gives the document one setting that the live one lacks, and takes another away. */
  async function changeSettings(folder: string) {
    const { credential, ...rest } = baseDocument.inference
    const inference = { ...rest, credential: { ...credential, ttlSec: 900 } }
    await writeFile(join(folder, 'base.json'), JSON.stringify({ inference }))
  }

  test('is the live one while nothing has changed', async () => {
    const { run, folder, live } = await createLive()
    expect(await run('diff', folder, ...live)).toEqual(prints('Everybody would get what release 1 gives.\n'))
  })

  test('is compared with the live one, setting by setting', async () => {
    const { run, folder, live } = await createLive()
    await changeSettings(folder)
    expect(await run('diff', folder, ...live)).toEqual({
      status: 1,
      stdout: `everybody
  + inference.credential.ttlSec: 900  (people are asked to agree)
  - inference.streamIdleTimeoutSec: 600
`,
      stderr: '',
    })
  })

  test('has a finding where somebody loses or gains something', async () => {
    const { run, folder, live } = await createLive()
    await changeSettings(folder)
    const { stdout } = await run('check', folder, ...live, '--json')
    const codes = JSON.parse(stdout).findings.map(({ code, path }: Record<string, string>) => `${code} ${path}`)
    expect(codes).toEqual([
      'field-lost inference.streamIdleTimeoutSec',
      'field-gained inference.credential.ttlSec',
      'consent-asked inference.credential.ttlSec',
    ])
  })

  test('is shown with the wave of the person and the command that compares the folder with what is served', async () => {
    const { release, run, folder, releases, key, change } = await createPlace()
    await release()
    await change(600)
    await release()
    const explain = async (subject: string) => {
      const { stdout } = await run(
        'explain',
        folder,
        '--subject',
        subject,
        '--release',
        releases,
        '--public-key',
        `${key}.pub`,
      )
      const lines = stdout.split('\n')
      // Where in the order of a release a person stands differs from release to release.
      return [lines[1]?.replace(/wave [12]/, 'wave N'), lines.at(-2)]
    }
    expect(await explain('pat')).toEqual([
      'Release 2 is served: this person is in its pilot.',
      '  inference.streamIdleTimeoutSec: 600  (base.json line 1)',
    ])
    expect(await explain('joe')).toEqual([
      'Release 1 is served: this person is in wave N of the release after it, which has not been reached.',
      "FOLDER as it is now gives this person another document; see: gatepass bootstrap diff 'FOLDER' --release 'RELEASES' --public-key 'HOME/key.pub'",
    ])
  })
})
