import { expect, test } from 'vitest'
import { type Job, workflows } from './read-workflows.ts'

const { content } = workflows.find(({ path }) => path.endsWith('release.yml'))!
const jobs = Object.entries(content.jobs)

/** Returns a part of a job that names a secret. */
const usesSecret = (job: Job) => JSON.stringify(job).includes('secrets.')

test('each job has only the permissions of this table', () => {
  const sign = { contents: 'read', 'id-token': 'write' }
  expect(Object.fromEntries(jobs.map(([name, { permissions }]) => [name, permissions]))).toEqual({
    runtimes: undefined,
    build: undefined,
    'sign-macos': undefined,
    'sign-windows': sign,
    package: undefined,
    'package-macos': undefined,
    'sign-windows-packages': sign,
    smoke: undefined,
    publish: { contents: 'write', 'id-token': 'write', attestations: 'write' },
  })
})

test('secrets are those of the environment, and identity tokens are given out in it', () => {
  const guarded = jobs.filter(([, job]) => usesSecret(job) || job.permissions?.['id-token'] === 'write')
  expect(guarded.map(([name]) => name)).toEqual([
    'sign-macos',
    'sign-windows',
    'package-macos',
    'sign-windows-packages',
    'publish',
  ])
  expect(guarded.filter(([, { environment }]) => environment !== 'release')).toEqual([])
})

test('no job that signs or publishes runs code of a package of npm', () => {
  const installing = jobs.filter(([, { steps = [] }]) =>
    steps.some(({ run }) => /\bnpm (ci|install)\b/.test(run ?? '')),
  )
  expect(installing.map(([name]) => name)).toEqual(['runtimes', 'build', 'package', 'smoke'])
})

test.each(jobs)(
  'a secret reaches single steps of %s as a variable, and is in no command',
  (_, { steps = [], ...job }) => {
    const commands = steps.map(({ env: _env, ...step }) => JSON.stringify(step))
    expect({
      isOfJob: usesSecret(job as Job),
      commands: commands.filter((step) => step.includes('secrets.')),
    }).toEqual({ isOfJob: false, commands: [] })
  },
)

test('nothing is built before the runtimes were compared with the digests of Node.js', () => {
  const taking = jobs.filter(([, job]) => JSON.stringify(job).includes('"name":"published-runtimes"'))
  expect({
    commands: content.jobs.runtimes!.steps!.map(({ run }) => run).filter(Boolean),
    buildNeeds: content.jobs.build!.needs,
    taking: taking.map(([name]) => name),
  }).toEqual({
    commands: ['npm ci', 'npm run runtimes -- --fetch'],
    buildNeeds: 'runtimes',
    taking: ['runtimes', 'build', 'package'],
  })
})

test('nothing is published before it was tried on every platform', () => {
  expect(content.jobs.publish!.needs).toBe('smoke')
  expect(content.jobs.smoke!.needs).toEqual(['package', 'package-macos', 'sign-windows-packages'])
})

test('nothing is published before SECURITY.md names its signer', () => {
  const publishing = /refuse-unnamed-signers|^actions\/attest@|gh release create/
  const steps = content.jobs.publish!.steps!.map(({ run, uses }) => publishing.exec(run ?? uses ?? '')?.[0])
  expect(steps.filter((found) => found !== undefined)).toEqual([
    'refuse-unnamed-signers',
    'actions/attest@',
    'gh release create',
  ])
})
