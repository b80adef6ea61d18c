import { expect, test } from 'vitest'
import { commandOf, failure, printed, startDesk } from './desk.ts'

test('a program that prints a token is run without a shell, by its name, with its arguments as they are', async () => {
  const desk = await startDesk()
  await desk.write('print token', 'printf "%s" "made-up-$1-$#"')
  const argv = commandOf('print token', '$HOME;x', '--flag')
  expect(await desk.run({ argv: argv.map((word) => word.replace('$HOME;x', 'a;b')) })).toEqual(
    printed({ token: 'made-up-a;b-2' }),
  )
})

test('where a program says that nobody is signed in, the run ends with status 4 and the command that signs in', async () => {
  const desk = await startDesk()
  await desk.write(
    'gcloud',
    'echo "ERROR: (gcloud.auth) You do not currently have an active account selected." >&2\necho "Please run: $ gcloud auth login" >&2\nexit 1',
  )
  expect(await desk.run({ argv: commandOf('gcloud', 'auth', 'print-identity-token') })).toEqual(
    failure(
      4,
      'gcloud failed with exit status 1 and said: ERROR: (gcloud.auth) You do not currently have an active account selected. Please run: $ gcloud auth login',
      'run in a terminal: gcloud auth login',
    ),
  )
})
