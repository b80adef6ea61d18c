import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { type Paint, renderTimeline } from '../src/client/render-timeline.ts'
import { bundleAll } from './bundle.ts'
import { playScenes } from './demo/scenes.ts'

const { values } = parseArgs({ options: { 'no-verify': { type: 'boolean', default: false } } })

const styles = { good: 'green', bad: 'red', caution: 'yellow', quiet: 'gray', strong: 'bold' } as const
const paint: Paint = (style, text) => styleText(styles[style], text, { stream: process.stdout })

// A reader that has seen enough, such as `head`, is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

await bundleAll()
const directory = await mkdtemp(join(tmpdir(), 'gatepass demo '))
try {
  console.log(
    'A client, its helper, AWS and a gateway on this machine; no account, no network beyond loopback.\n' +
      "The client's clock is moved forward; the helper's processes are real, with their own cache off.\n",
  )
  let lost = 0
  for await (const scene of playScenes(directory, values['no-verify'] ? 'off' : 'on')) {
    console.log(`${paint('strong', scene.title)}\n${renderTimeline(scene.events, paint)}`)
    lost += scene.isHealthy ? scene.events.filter(({ type }) => type === 'turn-failed').length : 0
  }
  console.log(lost === 0 ? 'No turn was lost with a healthy helper.' : `${lost} turns were lost with a healthy helper.`)
  process.exitCode = lost === 0 ? 0 : 1
} finally {
  await rm(directory, { recursive: true, force: true })
}
