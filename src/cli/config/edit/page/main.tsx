// The page of `gatepass config edit`: this script opens the session and shows the editor, or the reason why it cannot.

import { render } from 'preact'
import { Editor } from './editor.tsx'
import { openSession } from './open-session.ts'

const root = document.getElementById('editor')!

openSession().then(
  ({ opened, ask }) => render(<Editor opened={opened} ask={ask} />, root),
  (error: Error) => render(<Unopened problem={error.message} />, root),
)

function Unopened({ problem }: { readonly problem: string }) {
  return (
    <main>
      <h1>The document cannot be shown</h1>
      <p role="alert">{problem}.</p>
      <p>The address works once. Go to the tab in which it was opened, or start the command again.</p>
    </main>
  )
}
