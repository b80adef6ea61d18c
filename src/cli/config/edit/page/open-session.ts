import {
  type Compared,
  type DrawnDay,
  type Examined,
  type ExportedFiles,
  type FileContent,
  keyHeader,
  type OpenedPage,
  type Saved,
} from '../page-data.ts'

/**
 * Sends a request to the server of this page.
 * @throws {Error} with a message for a person.
 */
export type AskServer = <Name extends keyof PageReplies>(name: Name, body?: object) => Promise<PageReplies[Name]>

/** The key of the session in the storage of this tab, so that the page can be reloaded. */
const stored = 'session'

/**
 * Opens the session with the key in the address, which is then removed from the address, or with the session of this tab.
 * @throws {Error} with a message for a person.
 */
export async function openSession(): Promise<{ readonly opened: OpenedPage; readonly ask: AskServer }> {
  const key = /^#([\w-]{43})$/.exec(location.hash)?.[1] ?? sessionStorage.getItem(stored) ?? ''
  history.replaceState(null, '', '/')
  const opened = await createAsking(key)('open')
  sessionStorage.setItem(stored, opened.session)
  return { opened, ask: createAsking(opened.session) }
}

/** The answers of the server by request. */
interface PageReplies {
  readonly open: OpenedPage
  readonly examine: Examined
  readonly compare: Compared
  readonly export: ExportedFiles
  readonly day: DrawnDay
  readonly file: FileContent
  readonly save: Saved
  readonly finish: object
}

function createAsking(key: string): AskServer {
  return async (name, body = {}) => {
    // A browser does not tell why a request failed; on loopback it means that the server has ended.
    const response = await fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [keyHeader]: key },
      body: JSON.stringify(body),
    }).catch(() => undefined)
    if (!response)
      throw new Error('The command has ended: start it again to go on. Copy the text of the document first.')
    const answer = await response.json()
    if (!response.ok) throw new Error(`${answer.problem}`)
    return answer
  }
}

/** Encodes a file for a request, whose body is JSON. */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
