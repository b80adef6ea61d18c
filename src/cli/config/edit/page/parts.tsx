// The parts of the page about the text, its difference to another document and the client releases, and the question that parts ask.

import { useEffect, useState } from 'preact/hooks'
import type { Compared, Examined } from '../page-data.ts'
import { type AskServer, encodeBase64 } from './open-session.ts'

/**
 * Asks the server the latest question, some time after the last change. The answer is `undefined` before the first one, and only the latest
 * counts.
 * @param question `undefined` asks nothing.
 */
export function useAnswer<T>(work: () => Promise<T>, question: string | undefined, pauseMs: number) {
  const [answer, setAnswer] = useState<T>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    if (question === undefined) return undefined
    let isLatest = true
    const timer = setTimeout(() => {
      work().then(
        (value) => {
          if (!isLatest) return
          setAnswer(() => value)
          setProblem('')
        },
        (error: Error) => isLatest && setProblem(error.message),
      )
    }, pauseMs)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [question])
  return { answer, problem }
}

/** Shows the text as it is saved; a whole document can be pasted into it. */
export function TextPart(props: {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onLeave: () => void
}) {
  return (
    <>
      <p id="text-words">
        This is what is saved. Every field above is a part of it. A whole document can be pasted here.
      </p>
      <textarea
        id="text"
        aria-label="The text of the document"
        aria-describedby="text-words"
        spellcheck={false}
        autocomplete="off"
        value={props.text}
        onInput={({ currentTarget }) => props.onChange(currentTarget.value)}
        onBlur={props.onLeave}
      />
    </>
  )
}

type Other = 'file' | 'installed' | 'other'

/** Shows what a client would apply differently than with another document. */
export function DifferencePart({ ask, text, base }: PartProps & { readonly base: string }) {
  const [other, setOther] = useState<Other>('file')
  const [file, setFile] = useState({ name: '', content: '' })
  const isReady = other !== 'other' || file.content !== ''
  const question = isReady ? JSON.stringify([text, base, other, file]) : undefined
  const { answer, problem } = useAnswer(() => ask('compare', { text, with: other, other: file.content }), question, 300)
  return (
    <>
      <div class="options">
        <label>
          <span>Compared with</span>
          <select value={other} onChange={({ currentTarget }) => setOther(currentTarget.value as Other)}>
            <option value="file">the file as it is saved</option>
            <option value="installed">what is installed on this machine</option>
            <option value="other">another file</option>
          </select>
        </label>
        {other === 'other' && (
          <label>
            <span>The other file: JSON, a property list or a registry file</span>
            <input type="file" onChange={({ currentTarget }) => void readFile(currentTarget).then(setFile)} />
          </label>
        )}
      </div>
      {isReady ? <Differences compared={answer} problem={problem} /> : <p>Choose a file.</p>}
    </>
  )
}

/** The text that the parts of the page are about, and the server that they ask. */
export interface PartProps {
  readonly ask: AskServer
  readonly text: string
}

async function readFile({ files }: HTMLInputElement): Promise<{ name: string; content: string }> {
  const file = files?.[0]
  if (!file) return { name: '', content: '' }
  return { name: file.name, content: encodeBase64(new Uint8Array(await file.arrayBuffer())) }
}

function Differences({ compared, problem }: { readonly compared: Compared | undefined; readonly problem: string }) {
  if (problem !== '') return <p role="alert">{problem}</p>
  if (!compared) return <p>Comparing …</p>
  const about = compared.source === undefined ? '' : `Compared with ${compared.source}: `
  if (compared.problem !== '') return <p>{compared.problem}</p>
  if (compared.differences.length === 0) return <p>{about}a client applies both alike.</p>
  return (
    <>
      <p>
        {about}a client applies{' '}
        {compared.differences.length === 1 ? 'one field' : `${compared.differences.length} fields`} differently.
      </p>
      {compared.differences.map(({ path, before, after, isAsked }) => (
        <div class="difference" key={path}>
          <code>{path}</code> {isAsked && <span class="tag">people are asked to agree again</span>}
          <dl>
            <div>
              <dt>before: </dt>
              <dd>
                <code>{before}</code>
              </dd>
            </div>
            <div>
              <dt>after: </dt>
              <dd>
                <code>{after}</code>
              </dd>
            </div>
          </dl>
        </div>
      ))}
    </>
  )
}

/** Lists the releases of the client from which on each value is read. */
export function ReleasePart({ releases }: Pick<Examined, 'releases'>) {
  const last = releases.at(-1)
  if (!last) return <p>The document sets nothing that a release would have to know.</p>
  return (
    <>
      <p>
        Clients from release <strong>{last.release}</strong> on read everything that the document sets. An older one
        ignores what came later.
      </p>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">from release</th>
              <th scope="col">also read</th>
            </tr>
          </thead>
          <tbody>
            {releases.map(({ release, paths }) => (
              <tr key={release}>
                <th scope="row">{release}</th>
                <td>
                  {paths.map((path) => (
                    <div key={path}>
                      <code>{path}</code>
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
