// Reads the document that a command gets, and defines the options that describe it.

import { stat } from 'node:fs/promises'
import { InvalidArgumentError, Option } from 'commander'
import type { MachineFiles } from '../config/check/machine.ts'
import { isRelease } from '../config/define-field.ts'
import type { Served } from '../config/parse-value.ts'
import { fetchDocument, readStream } from '../config/read/fetch-document.ts'
import { type ReadResult, shapes } from '../config/read/read-document.ts'
import { readDocumentFile } from '../config/read/read-document-file.ts'
import { servedDocumentRules } from '../contract/served-document.ts'
import type { Host } from '../runtime/host.ts'
import { isWebAddress } from '../runtime/network/addresses.ts'
import { createRetryingFetch } from '../runtime/network/retrying-fetch.ts'
import { createStreamFetch } from '../runtime/network/stream-fetch.ts'
import { runProcess } from '../runtime/run-process.ts'
import { hideUrlSecrets } from '../runtime/text/hide-secrets.ts'
import type { Cli } from './cli.ts'
import { readNetwork } from './network.ts'

/**
 * Reads a document from a file, from standard input (`-`) or from the URL that serves it.
 * @param served How the file will be served; a URL answers that itself.
 */
export async function readSource(
  { host, terminal }: Pick<Cli, 'host' | 'terminal'>,
  source: string,
  shape?: SourceShape,
  served?: Served,
): Promise<ReadResult> {
  if (isUrl(source)) return fetchSource(host, source)
  const ofServer = served && { served }
  if (source !== '-') return readDocumentFile(source, { ...ofServer, shape })
  if (shape === 'managed-linux') return readStream(terminal.readInput(), { ...ofServer, native: true })
  return readStream(terminal.readInput(), { ...ofServer, shape })
}

/** Returns whether a source is the URL of a document, not a file or standard input. */
export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

async function fetchSource(host: Host, url: string): Promise<ReadResult> {
  const { answerSec } = servedDocumentRules
  const network = await readNetwork(host)
  const fetch = createRetryingFetch(createStreamFetch({ network, silenceSec: answerSec }), answerSec)
  // The signal of `AbortSignal.timeout` may be garbage-collected while only a combined signal listens to it, and then never fires.
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), answerSec * 1000)
  try {
    return await fetchDocument(url, { fetch, signal: end.signal })
  } finally {
    clearTimeout(timer)
  }
}

/** Names the document in messages. */
export function describeSource(source: string): string {
  return source === '-' ? 'standard input' : hideUrlSecrets(source)
}

/** The argument for a document. */
export const documentArgument = ['<document>', 'a file, - for standard input, or the URL that serves it'] as const

const sourceShapes = [...shapes, 'managed-linux'] as const

/** The form of a document that its content does not show. */
export type SourceShape = (typeof sourceShapes)[number]

/** Creates the option for a {@link SourceShape}. */
export function createShapeOption(): Option {
  return new Option('--shape <shape>', 'what the file is, where its form leaves it open').choices(sourceShapes)
}

export function createReleaseOption(): Option {
  return new Option('--client-version <release>', 'the installed client, such as 1.14271.0').argParser(parseRelease)
}

function parseRelease(text: string): string {
  if (isRelease(text)) return text
  throw new InvalidArgumentError('expected whole numbers with dots between them.')
}

/** Parses a full URL, as a document contains it. */
export function parseBaseUrl(text: string): string {
  if (isWebAddress(URL.parse(text))) return text
  throw new InvalidArgumentError('expected a full URL, such as https://gateway.example.com.')
}

/** Creates the access to the files of this machine. Extended attributes exist on macOS, where `xattr` lists them. */
export function createMachineFiles({ env, platform }: Pick<Host, 'env' | 'platform'>): MachineFiles {
  return {
    findStatus: async (path) => stat(path).catch(() => undefined), // missing or not accessible: it cannot be run
    listAttributes: async (path) => {
      if (platform !== 'darwin') return []
      const command = { program: '/usr/bin/xattr', args: [path] }
      const outcome = await runProcess({ command, env, signal: AbortSignal.timeout(5_000) })
      return outcome.ended === 'exited' ? new TextDecoder().decode(outcome.stdout).split('\n').filter(Boolean) : []
    },
  }
}
