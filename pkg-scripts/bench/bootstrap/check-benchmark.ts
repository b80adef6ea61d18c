import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { rolloutFile } from '../../../src/bootstrap/rollout.ts'
import { createBase, runGatepass } from './bench-release.ts'

/** Measures `gatepass bootstrap check` as a process, on forty groups with six overlays each. */
export async function printCheck(home: string, repetitions: number): Promise<void> {
  const folder = join(home, 'forty')
  await writeLargeRollout(folder)
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const [startedAt, usedBefore] = [performance.now(), await measureChildrenSec()]
    const output = await runGatepass(['check', folder])
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const used = ((await measureChildrenSec()) - usedBefore).toFixed(1)
    const [combinations] = /[\d,]+ combinations[^.]*/.exec(output) ?? ['']
    console.log(
      `bootstrap check, forty groups of six overlays: ${seconds} s, ${used} s of processor time (${combinations})`,
    )
  }
  console.log('')
}

/** Departments and countries, of which a person has one each, and four groups for everybody: 30 + 6 + 4. */
async function writeLargeRollout(folder: string): Promise<void> {
  const departments = Array.from({ length: 30 }, (_, index) => toGroup(`department-${index}`, 'department', 1 + index))
  const countries = Array.from({ length: 6 }, (_, index) => toGroup(`country-${index}`, 'country', 100 + index))
  const others = Array.from({ length: 4 }, (_, index) => toGroup(`club-${index}`, `club-${index}`, 200 + index))
  const groups = [...departments, ...countries, ...others]
  const files: [string, object][] = groups.flatMap(({ name, overlays }) =>
    overlays.map((file, index) => [file, createOverlay(name, index)] as [string, object]),
  )
  const systems = ['linux', 'macos', 'windows']
  const rollout = { singleValued: ['department', 'country'], groups, clients: [{ release: '2.7032.0', systems }] }
  for (const [name, content] of [[rolloutFile, rollout], ['base.json', createBase()], ...files] as const) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), JSON.stringify(content))
  }
}

/** Returns the processor time of programs that have ended: fields 16 and 17 of proc(5), in hundredths of a second. */
async function measureChildrenSec(): Promise<number> {
  const fields = (await readFile('/proc/self/stat', 'utf8')).replace(/^.*\) /, '').split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}

function toGroup(name: string, claim: string, precedence: number) {
  const overlays = Array.from({ length: 6 }, (_, index) => `overlays/${name}-${index}.json`)
  return { name, claims: { [claim]: [name] }, overlays, precedence }
}

/** Each combination has a document of its own: clubs differ in their first overlay; otherwise the highest precedence decides. */
function createOverlay(name: string, index: number): object {
  const [kind = '', number] = name.split('-')
  const header = kind === 'club' && index === 0 ? `x-club-${number}` : `x-${kind}-setting-${index}`
  return { inference: { customHeaders: { [header]: `of ${name}` } } }
}
