import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { quoteForShell } from '../../src/runtime/text/quote.ts'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { startMcpServer } from '../stand-ins/mcp-server.ts'
import { askCodex, configureCodex } from './codex.ts'
import { startStage } from './stage.ts'

/** Codex with an MCP server, whose tool the model calls, and a helper that prints the token of a file; it is not there at first. */
async function startMcpStage() {
  const issuer = await startRotatingIssuer()
  const mcp = await startMcpServer(issuer.issuer)
  onTestFinished(async () => {
    await mcp[Symbol.asyncDispose]()
    await issuer[Symbol.asyncDispose]()
  })
  const stage = await startStage(mcp.url)
  await configureCodex(stage, stage.helper)
  const file = join(stage.home, 'token')
  const { command, argv } = await stage.createPrinting(file)
  const line = quoteForShell([command, ...argv, '--format', 'headers-json', '--client-ttl', '60'])
  const settings = `\n[mcp_servers.desk]\nurl = "${mcp.url}"\nhttp_headers_helper = ${JSON.stringify(line)}\n`
  await appendFile(join(stage.home, '.codex', 'config.toml'), settings)
  stage.gateway.callNext({ name: 'mcp__desk/whoami', input: {} })
  const signFor = async (aud: string) => {
    await writeFile(file, await issuer.sign({ sub: 'dana', aud, groups: ['ai-users'] }))
  }
  return { mcp, stage, signFor }
}

/** What Codex logs of its MCP servers, without the moment. */
const readLog = (stderr: string) => stderr.split('\n').flatMap((line) => /ERROR (rmcp.*)/.exec(line)?.[1] ?? [])

test('an MCP server knows who calls its tool from Codex', async () => {
  const { mcp, stage, signFor } = await startMcpStage()
  await signFor(mcp.url)
  const { status, stderr } = await askCodex(stage)
  expect({ status, log: readLog(stderr), refused: mcp.challenges }).toEqual({ status: 0, log: [], refused: [] })
  expect(stage.gateway.toolOutputs).toEqual([expect.stringContaining('you are dana')])
})

test('a person reads why an MCP server refuses the token, and where it says who gives another', async () => {
  const { mcp, stage, signFor } = await startMcpStage()
  await signFor('another')
  const { stderr } = await askCodex(stage)
  const why = `the token is for another audience: it is for 'another', not for '${mcp.url}'`
  const metadata = `${new URL(mcp.url).origin}/.well-known/oauth-protected-resource/mcp`
  const challenge = `Bearer realm="gatepass", error="invalid_token", error_description="${why}", resource_metadata="${metadata}"`
  expect(mcp.challenges).toEqual([challenge])
  expect(readLog(stderr)).toEqual([expect.stringContaining(`www_authenticate_header: ${JSON.stringify(challenge)}`)])
})

test('Codex tells the status alone of a helper that fails before an MCP server', async () => {
  const { mcp, stage } = await startMcpStage()
  const { stderr } = await askCodex(stage)
  const log = readLog(stderr)
  expect(log).toEqual(
    log.map(() => expect.stringContaining('MCP HTTP headers helper exited with status exit status: 5')),
  )
  expect({ isTold: log.length > 0, refused: mcp.challenges }).toEqual({ isTold: true, refused: [] })
})
