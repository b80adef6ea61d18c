import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { type HelperClient, hasRequest, isEndRead } from '../../src/contract/client.ts'
import { clients } from '../../src/contract/clients.ts'

test('each client starts, waits for and asks its helper in its own way', () => {
  const rows = Object.entries(clients).map(([name, row]) => {
    const { refresh, waiting } = row
    return [name, row.format, row.start, waiting.timeoutSec, refresh.intervalSec, refresh.afterRefusal]
  })
  expect(rows).toEqual([
    ['desktop', 'json', 'arguments', 60, 3600, 'repeat'],
    ['desktop-mcp', 'headers-json', 'path', undefined, 300, 'nothing'],
    ['desktop-otlp', 'headers-json', 'path', undefined, 300, 'nothing'],
    ['desktop-bootstrap', 'headers-json', 'path', undefined, undefined, 'next-request'],
    ['codex', 'token', 'arguments', 5, 300, 'repeat'],
    ['codex-mcp', 'headers-json', 'words', 10, undefined, 'nothing'],
    ['copilot', 'token', 'shell-line', undefined, undefined, 'repeat'],
    ['goose', 'token', 'arguments', 10, 3600, 'repeat'],
    ['hermes', 'access-token-json', 'shell-line', 15, 900, 'nothing'],
    ['crush', 'token', 'shell-line', 300, undefined, 'repeat'],
    ['pi', 'token', 'shell-line', 10, undefined, 'nothing'],
    ['api-key-helper', 'token', 'shell-line', undefined, 300, 'repeat'],
    ['headers-helper', 'headers-json', 'shell-line', 10, undefined, 'repeat'],
    ['otel-headers-helper', 'headers-json', 'path', 30, 1740, 'nothing'],
    ['proxy-auth-helper', 'proxy-authorization', 'shell-line', undefined, 300, 'repeat'],
    ['aws-credential-export', 'sts-credentials', 'shell-line', undefined, 3600, 'next-request'],
    ['kubernetes', 'exec-credential', 'arguments', undefined, undefined, 'next-request'],
    ['aws', 'credential-process', 'words', undefined, undefined, 'nothing'],
    ['bazel', 'bazel', 'path', 10, 1800, 'nothing'],
    ['git', 'git', 'shell-line', undefined, undefined, 'erase'],
  ])
})

test('only a client whose configuration ties it to hosts names a host in its request', () => {
  const rows = Object.values(clients)
  expect(rows.filter(({ hosts }) => hosts === 'limited-by-configuration')).toEqual(rows.filter(hasRequest))
})

test('only the desktop client tells a helper why it runs', () => {
  const told = Object.entries(clients).filter(([, { context }]) => context === 'told')
  expect(told.map(([name]) => name)).toEqual(['desktop'])
})

test('docs/clients.md has a row and a section for each client, with what the table says', () => {
  const page = readFileSync(join(root, 'docs/clients.md'), 'utf8')
  expect(page.match(/^\| \[.*$/gm)).toEqual(Object.entries(clients).map(([name, row]) => renderRow(name, row)))
  expect(page.match(/(?<=^## ).*$/gm)).toEqual(Object.keys(clients))
})

function renderRow(name: string, row: HelperClient): string {
  const { format, start, context, waiting, refresh, sentAs } = row
  const asked = hasRequest(row) ? '`get` and a request on stdin' : 'nothing'
  const atEnd = isEndRead(row) ? 'the end that is stated' : 'its own end'
  const byEnd = refresh.keptFor === 'request' ? 'each request' : atEnd
  const cells = [
    `[\`${name}\`](#${name})`,
    `\`${format}\``,
    start,
    context === 'told' ? 'the context in a variable' : asked,
    waiting.timeoutSec ?? 'without an end',
    refresh.intervalSec ?? byEnd,
    refresh.afterRefusal,
    sentAs.join(', '),
  ]
  return `| ${cells.join(' | ')} |`
}
