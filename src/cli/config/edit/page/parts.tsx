import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Compared, DrawnDay, Examined, ExportedFiles, OpenedPage } from '../page-data.ts'
import type { AskServer } from './ask-server.ts'
import { Findings } from './fields.tsx'

/** The text that the parts of the page are about, and the server that they ask. */
interface PartProps {
  readonly ask: AskServer
  readonly text: string
}

/**
 * The answer of the server for the latest question, some time after the last change; `undefined` before the first. Only the latest answer
 * counts. @param question `undefined` asks nothing.
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

/** The text as it is saved; a whole document can be pasted into it. */
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

/** What a client would apply differently than it does with another document. */
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

async function readFile({ files }: HTMLInputElement): Promise<{ name: string; content: string }> {
  const file = files?.[0]
  if (!file) return { name: '', content: '' }
  const bytes = new Uint8Array(await file.arrayBuffer())
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return { name: file.name, content: btoa(binary) }
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

/** The releases of the client from which on each value is read. */
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

/** The exports, to look at and to save. */
export function ExportPart({ ask, text, release, formats }: PartProps & Pick<OpenedPage, 'release' | 'formats'>) {
  const [to, setTo] = useState('')
  const [texts, setTexts] = useState({ identifier: '', organization: '', moreInfoUrl: '' })
  const wanted = { text, to, release, ...texts }
  const { answer, problem } = useAnswer(
    () => ask('export', wanted),
    to === '' ? undefined : JSON.stringify(wanted),
    300,
  )
  const input = (name: keyof typeof texts, label: string) => (
    <label>
      <span>{label}</span>
      <input
        value={texts[name]}
        autocomplete="off"
        onInput={({ currentTarget }) => setTexts({ ...texts, [name]: currentTarget.value })}
      />
    </label>
  )
  return (
    <>
      <div class="options">
        <label>
          <span>Format</span>
          <select value={to} onChange={({ currentTarget }) => setTo(currentTarget.value)}>
            <option value="">choose one</option>
            {formats.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {to === 'mobileconfig' && input('identifier', 'Identifier, such as com.example.ai (optional)')}
        {to === 'mobileconfig' && input('organization', 'Organization (optional)')}
        {to === 'compliance' && input('moreInfoUrl', 'The https page that tells people what to do')}
      </div>
      {to !== '' && <p>{formats.find(({ name }) => name === to)?.summary}.</p>}
      {to !== '' && <Export exported={answer} problem={problem} />}
    </>
  )
}

function Export({ exported, problem }: { readonly exported: ExportedFiles | undefined; readonly problem: string }) {
  if (problem !== '') return <p role="alert">{problem}</p>
  if (!exported) return <p>Exporting …</p>
  return (
    <>
      {exported.problem !== '' && <p role="alert">{exported.problem}</p>}
      <Findings findings={exported.findings} onVisit={() => undefined} />
      {exported.files.map(({ name, content }) => (
        <ExportFile key={name} name={name} content={content} />
      ))}
      {exported.next !== '' && <p>Next: {exported.next}</p>}
    </>
  )
}

function ExportFile({ name, content }: ExportedFiles['files'][number]) {
  const [address, setAddress] = useState('')
  const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes]))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [content])
  const file = name.slice(name.lastIndexOf('/') + 1)
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return (
    <>
      <h3>
        <code>{name}</code>
      </h3>
      <p>
        <a class="button" href={address} download={file}>
          Save {file}
        </a>
      </p>
      <textarea
        class="content"
        readOnly
        aria-label={`The content of ${name}`}
        value={new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)}
      />
    </>
  )
}

/** A working day with the document, played again whenever a value changes. */
export function DayPart({
  ask,
  text,
  scenarios,
  kind,
}: PartProps & Pick<OpenedPage, 'scenarios'> & Pick<Examined, 'kind'>) {
  const [scenario, setScenario] = useState('workday')
  const [life, setLife] = useState('3600')
  const isSignIn = kind === 'interactive' || kind === 'external-idp'
  const fitting = scenarios.filter((row) => row.kind === '' || (row.kind === 'external-idp') === isSignIn)
  const tokenLifeSec = /^[1-9]\d{0,7}$/.test(life) ? Number(life) : undefined
  const question = tokenLifeSec === undefined ? undefined : JSON.stringify([text, scenario, tokenLifeSec])
  const { answer, problem } = useAnswer(() => ask('day', { text, scenario, tokenLifeSec }), question, 600)
  return (
    <>
      <p>
        The helper or the person is simulated and answers at once: nothing is run, and nothing leaves this machine. The
        times are those of the document.
      </p>
      <div class="options">
        <label>
          <span>Scenario</span>
          <select value={scenario} onChange={({ currentTarget }) => setScenario(currentTarget.value)}>
            {fitting.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>How long a token lives, in seconds</span>
          <input
            inputMode="numeric"
            value={life}
            aria-invalid={tokenLifeSec === undefined}
            onInput={({ currentTarget }) => setLife(currentTarget.value)}
          />
        </label>
      </div>
      <p>{fitting.find(({ name }) => name === scenario)?.summary}.</p>
      {problem !== '' && <p role="alert">{problem}</p>}
      {answer ? <Day played={answer} /> : <p>Playing …</p>}
    </>
  )
}

declare global {
  /** Makes the marks of every chart in the page work; defined beside this script. */
  function enableCharts(): void
}

function Day({ played }: { readonly played: DrawnDay }) {
  useLayoutEffect(() => {
    if (played.timeline !== '') enableCharts()
  }, [played.timeline])
  if (played.problem !== '') return <p>{played.problem}</p>
  return (
    <>
      <p class={`headline ${played.isWell ? 'well' : 'failing'}`} role="status">
        {played.verdict}
      </p>
      <dl>
        {played.numbers.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {played.conclusions.map((words) => (
        <p key={words}>{words}</p>
      ))}
      <div dangerouslySetInnerHTML={{ __html: played.timeline }} />
    </>
  )
}
