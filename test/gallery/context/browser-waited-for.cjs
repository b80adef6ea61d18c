// Mistake: it opens a browser in a silent context and waits for a person who is not there.
// Fails: no-browser
const { spawn } = require('node:child_process')
spawn(process.env.BROWSER, ['https://sign-in.example/'], { stdio: 'ignore' })
setInterval(() => {}, 1000)
