import { isDeepStrictEqual } from 'node:util'
import { parseDocument } from '../../../config/read/read-document.ts'
import { parseObject, type RawObject } from '../../../runtime/values/json-value.ts'
import { type FolderFile, vendorPath } from '../folder.ts'
import type { PlannedDocument } from '../plan-document.ts'

/** A person's own file that contradicts the answers, from which the pages are generated. */
export interface OwnDifference {
  readonly path: string
  /** The names of the different fields; empty if the whole file differs. */
  readonly fields: readonly string[]
}

/** Compares what concerns the pages in documents: the gateway, the people and the sign-in. */
export function comparePlannedDocuments(documents: readonly PlannedDocument[]): OwnDifference[] {
  return documents.flatMap(({ path, proposed, result }) => {
    if (proposed === undefined || !result.document) return []
    const [own, made] = [result.document, parseDocument(Buffer.from(proposed)).document].map(toPageFacts)
    return toDifference(path, own!, made!)
  })
}

function toPageFacts(document: unknown): RawObject {
  const { inference } = (document ?? {}) as { inference?: { baseUrl?: unknown; credential?: RawObject } } // not validated
  const { baseUrl, credential = {} } = inference ?? {}
  const { ttlSec: _, timeoutSec: __, apiKey: ___, args, ...facts } = credential
  const credentialFacts = Object.entries({ ...facts, ...(Array.isArray(args) && { args: withoutClock(args) }) })
  return {
    'inference.baseUrl': baseUrl,
    ...Object.fromEntries(credentialFacts.map(([name, value]) => [`inference.credential.${name}`, value])),
  }
}

/** Returns the arguments without the client's times, which no page names. */
function withoutClock(args: readonly unknown[]): unknown[] {
  const isClock = (word: unknown) => word === '--client-ttl' || word === '--client-timeout'
  return args.filter((word, index) => !isClock(word) && !isClock(args[index - 1]))
}

/** Compares the other machine files: the client's names, and the settings from answers. */
export function compareMachineFiles(files: readonly FolderFile[]): OwnDifference[] {
  return files.flatMap(({ path, content, proposed }) => {
    if (proposed === undefined) return []
    const [own, made] = [String(content), proposed].map((text) => parseObject(text) ?? {})
    if (path === vendorPath) return isDeepStrictEqual(own, made) ? [] : [{ path, fields: [] }]
    return path.startsWith('machine/') ? toDifference(path, toDecidedSettings(own!), toDecidedSettings(made!)) : []
  })
}

function toDecidedSettings(settings: RawObject): RawObject {
  return Object.fromEntries(['proxy', 'ca', 'outcome-log', 'otlp-endpoint'].map((name) => [name, settings[name]]))
}

function toDifference(path: string, own: RawObject, made: RawObject): OwnDifference[] {
  const names = [...new Set([...Object.keys(own), ...Object.keys(made)])]
  const fields = names.filter((name) => !isDeepStrictEqual(own[name], made[name]))
  return fields.length > 0 ? [{ path, fields }] : []
}
