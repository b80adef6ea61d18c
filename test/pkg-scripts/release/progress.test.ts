import { expect, test } from 'vitest'
import { renderProgress } from '../../../pkg-scripts/release/render-progress.ts'
import { type PackingProgress, runInParallel } from '../../../pkg-scripts/release/run-in-parallel.ts'

/** Creates a task that ends when it is told to. */
function createTask(name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { name, run: () => promise, end: () => resolve(name), fail: () => reject(new Error(name)) }
}

test('the values of parallel tasks come in the order of the tasks', async () => {
  const [first, second, third] = [createTask('first'), createTask('second'), createTask('third')]
  const seen: string[] = []
  const observe = ({ name, event, ended, of }: PackingProgress) => seen.push(`${name} ${event} ${ended}/${of}`)
  const values = runInParallel([first, second, third], 2, observe)
  const one = values.next()
  const atOnce = [...seen]
  second.end()
  await expect.poll(() => seen.slice(2)).toEqual(['second ends 1/3', 'third begins 1/3'])
  first.end()
  third.end()
  expect({ atOnce, values: [(await one).value, ...(await Array.fromAsync(values))] }).toEqual({
    atOnce: ['first begins 0/3', 'second begins 0/3'],
    values: ['first', 'second', 'third'],
  })
})

test('a failure is thrown once the tasks that run have ended, and no other begins', async () => {
  const [first, second, third] = [createTask('first'), createTask('second'), createTask('third')]
  const begun: string[] = []
  const observe = ({ name, event }: PackingProgress) => event === 'begins' && begun.push(name)
  const values = Array.fromAsync(runInParallel([first, second, third], 2, observe))
  second.fail()
  first.end()
  await expect(values).rejects.toEqual(new Error('second'))
  expect(begun).toEqual(['first', 'second'])
})

const pipe = { isTerminal: false, columns: 80, seconds: 65.4 }
const terminal = { ...pipe, isTerminal: true }
const two = '\r\x1b[K3 of 28, 1:05: gatepass for linux-x64, deb, gatepass for linux-x64, rpm'
test.each([
  ['a pipe gets nothing for a file that begins', 'begins', pipe, ''],
  [
    'a pipe gets a line for a file that is finished',
    'ends',
    pipe,
    'release: 3 of 28, 1:05: gatepass for linux-x64, deb\n',
  ],
  ['a terminal gets one line that is replaced', 'begins', terminal, two],
  [
    'a narrow terminal gets a line that is cut',
    'ends',
    { ...terminal, columns: 30 },
    '\r\x1b[K3 of 28, 1:05: gatepass for …',
  ],
] as const)('%s', (_, event, screen, text) => {
  const progress = { name: 'gatepass for linux-x64, deb', ended: 3, of: 28 }
  const working = screen.isTerminal ? ['gatepass for linux-x64, deb', 'gatepass for linux-x64, rpm'] : []
  expect(renderProgress({ ...progress, event }, working, screen)).toBe(text)
})
