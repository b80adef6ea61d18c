import { expect, test } from 'vitest'
import { failure, startWorkbench, type Workbench } from './workbench.ts'

/** Returns the headers of a run whose identity token has a claim of each form. */
async function runWith(bench: Workbench, header: string) {
  const path = await bench.writeToken(
    await bench.provider.sign({ groups: ['dev', 'ops'], 'kubernetes.io': { namespace: 'build' }, name: 'Zoë' }),
  )
  const argv = [...bench.target, '--identity', 'file', '--identity-file', path, '--header', header]
  return { path, outcome: await bench.run({ argv }) }
}

test('headers are filled in with claims of the identity token', async () => {
  await using bench = await startWorkbench()
  const { outcome } = await runWith(bench, 'X-Who: {claims.groups} in {claims[kubernetes.io].namespace}')
  expect(JSON.parse(outcome.stdout).headers).toEqual({ 'X-Who': 'dev,ops in build' })
})

test('a claim that is missing is reported before the token is exchanged', async () => {
  await using bench = await startWorkbench()
  const { path, outcome } = await runWith(bench, 'X-Who: {claims.email}')
  const has = 'aud, exp, groups, iat, iss, jti, kubernetes.io, name, nbf, sub'
  expect({ outcome, exchanges: bench.exchanges() }).toEqual({
    outcome: failure(
      3,
      `a header asks for {claims.email}, which the identity token in ${path} does not have; it has ${has}`,
      'name a claim that it has, or have the identity provider add it',
    ),
    exchanges: [],
  })
})

test('a claim that no header can hold is refused unrepeated', async () => {
  await using bench = await startWorkbench()
  const { outcome } = await runWith(bench, 'X-Who: {claims.name}')
  expect(outcome).toEqual(
    failure(
      3,
      'header: the value of "X-Who" has a character beyond visible ASCII and spaces',
      'choose another fact for this header',
    ),
  )
})
