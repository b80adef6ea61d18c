import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startStrictGateway } from '../../client/session/test-gateway.ts'
import { writeShellHelper } from '../../client/simulation/play.ts'
import { neutralNote } from '../neutral-note.ts'
import { documentWith, writeTemporary } from '../run-gatepass.ts'
import { answerGatepass } from '../run-on-terminal.ts'

async function shellDocument(script: string): Promise<{ path: string; command: string }> {
  const credential = await writeShellHelper(script)
  return { path: await writeTemporary('doc.json', documentWith(credential)), command: credential.command ?? '' }
}

describe('a person on a terminal is asked before a helper is run, and', () => {
  test('sees the day after agreeing to a simulation', async () => {
    const { path } = await shellDocument('echo opaque')
    const { status, shown } = await answerGatepass('[y/N]', 'y\n', ['simulate', path, '--scenario', 'workday'])
    expect({ status, end: shown.slice(-20) }).toEqual({ status: 0, end: 'turns lost:       0\n' })
  })

  test('sees the findings after agreeing to an examination', async () => {
    const { url } = await startStrictGateway('opaque-token')
    const document = JSON.parse(documentWith(await writeShellHelper('echo opaque-token')))
    document.inference.baseUrl = url
    const path = await writeTemporary('doc.json', JSON.stringify(document))
    const { status, shown } = await answerGatepass('[y/N]', 'y\n', ['doctor', path])
    const end = `\nA turn succeeds.\n${neutralNote}`
    expect({ status, end: shown.slice(-end.length) }).toEqual({ status: 0, end })
  })

  const local = 'a gateway in this process'
  const remote = 'https://gateway.example.com/'

  test.each([
    ['simulate', '\n', local, '\n'],
    ['simulate', 'n\n', local, 'n\n'],
    ['doctor', 'yeah\n', remote, 'yeah\n'],
    // A terminal shows nothing of the end of the input.
    ['doctor', '\x04', remote, ''],
  ])('runs nothing in %s by answering %j', async (subcommand, answer, gateway, echo) => {
    const { path, command } = await shellDocument('touch "$0.ran"; echo t')
    const { status, shown } = await answerGatepass('[y/N]', answer, [subcommand, path])
    expect({ status, shown }).toEqual({
      status: 5,
      shown: `This runs:      "${command}"
and sends to:   ${gateway}
Go on? [y/N] ${echo}gatepass: you did not agree, so nothing was run and nothing was sent
gatepass: hint: answer y, or pass --yes
`,
    })
    expect(existsSync(`${command}.ran`)).toBe(false)
  })
})
