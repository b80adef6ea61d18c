// Folder: `npm run test:mutants`: the changes of the sources that no test detects.

import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { parseOptions } from '../parse-options.ts'
import { tellFailures } from '../tell-failures.ts'
import { root } from '../tree.ts'
import { chooseTests, listTests } from './choose-tests.ts'
import { renderSurvivors } from './render-survivors.ts'

tellFailures('test:mutants')
const { positionals } = parseOptions({
  command: 'npm run test:mutants --',
  summary: 'changes sources, one place at a time, and prints the changes that no test notices',
  options: {},
  operands: 'PATH [TEST…]',
})
const [path, ...named] = positionals
const source = path?.replace(/\/+$/, '')
if (source === undefined || !existsSync(join(root, source)))
  fail(2, 'name a folder or file of sources, such as src/helper')
else {
  const tests = named.length > 0 ? listTests(named) : chooseTests(source)
  if (tests.length === 0) fail(2, `no quick tests mirror ${source}: name some behind it`)
  else await checkMutants(source, tests).catch((error: Error) => fail(1, error.message)) // for example tests that fail without a mutant
}

function fail(status: number, problem: string): void {
  console.error(`test:mutants: ${problem}`)
  process.exitCode = status
}

/** Changes the sources in one place at a time, in a copy of the tree, and reports the changes that no test detects. */
async function checkMutants(source: string, tests: readonly string[]): Promise<void> {
  console.log(`The tests of ${source}:\n${tests.map((test) => `  ${test}\n`).join('')}`)
  process.env.MUTANT_TESTS = JSON.stringify(tests)
  const mutants = await new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'vitest.mutants.config.ts', related: false, pool: 'forks' },
    mutate: [source.endsWith('.ts') ? source : `${source}/**/*.ts`],
    coverageAnalysis: 'perTest',
    // Code that runs only once, when a module is loaded, would need every test for each mutant.
    ignoreStatic: true,
    // Programs that tests start read their mutant from one file.
    concurrency: 1,
    timeoutMS: 20_000,
    reporters: ['progress-append-only'],
    logLevel: 'warn',
    tempDirName: 'dist/mutants',
    cleanTempDir: 'always',
    ignorePatterns: ['dist'],
    // Stryker would rewrite the paths in it with TypeScript's programming interface, which version 7 does not have.
    tsconfigFile: 'none',
  } as ConstructorParameters<typeof Stryker>[0]).runMutationTest() // its type does not know the runner's options
  console.log(renderSurvivors(mutants.map((mutant) => ({ ...mutant, fileName: relative(root, mutant.fileName) }))))
}
