// What a page of a stranger can try against an address. Runs in the browser; needs nothing from outside itself.

/**
 * Kinds of requests against each route: what the page got to know is `nothing`, or what it could read.
 * `token`: suppose that it got hold of it. `share`: of so many pages, each tries its part of the pairs of route and kind.
 */
async function attack({ base, routes, token, share }) {
  const attempts = []
  const isMine = (route, kind) => (route + kind) % share.of === share.at
  const within = work =>
    Promise.race([work, new Promise(resolve => setTimeout(resolve, 5_000, 'late'))])

  const read = request =>
    request.then(
      async answer => (answer.type === 'opaque' ? 'nothing' : `${answer.status}`),
      () => 'nothing',
    )
  const loaded = (tag, target) =>
    new Promise(resolve => {
      const element = document.createElement(tag)
      element.onload = () => resolve(tag === 'iframe' ? frameText(element) : 'loaded')
      element.onerror = () => resolve('nothing')
      element.setAttribute('src', target)
      document.body.append(element)
    })
  const frameText = frame => {
    try {
      const text = frame.contentDocument?.body.textContent ?? ''
      // Whatever the browser itself says about a refusal is not ours.
      return text.includes('"forbidden"') || text === '' ? 'nothing' : text
    } catch {
      return 'nothing' // Of another origin: not to be read.
    }
  }
  const sentForm = (method, target) =>
    new Promise(resolve => {
      const frame = document.createElement('iframe')
      frame.name = `frame${Math.random()}`
      const form = document.createElement('form')
      form.method = method === 'GET' ? 'get' : 'post'
      form.enctype = 'text/plain'
      form.action = target
      form.target = frame.name
      const field = document.createElement('input')
      field.name = '{"prompt":"x","workDir":"/project","text":"x","a":"'
      field.value = '"}'
      form.append(field)
      document.body.append(frame, form)
      frame.onload = () => {
        // The first load is of the empty frame itself.
        frame.onload = () => resolve(frameText(frame))
        form.submit()
      }
      if (frame.contentDocument?.readyState === 'complete') {
        frame.onload = () => resolve(frameText(frame))
        form.submit()
      }
    })
  const streamed = target =>
    new Promise(resolve => {
      const source = new EventSource(target, { withCredentials: true })
      source.onopen = () => resolve('opened')
      source.onmessage = () => resolve('message')
      source.onerror = () => {
        source.close()
        resolve('nothing')
      }
    })
  const socketed = target =>
    new Promise(resolve => {
      const socket = new WebSocket(target.replace(/^http/, 'ws'))
      socket.onopen = () => resolve('opened')
      socket.onerror = () => resolve('nothing')
    })

  // All at once: the browser itself makes each wait that comes after one that failed.
  const sockets = routes
    .filter((_, route) => isMine(route, 0))
    .map(async ({ method, path }) => ({
      kind: 'webSocket',
      target: `${method} ${path}`,
      outcome: await socketed(`${base}${path}`),
    }))
  for (const [route, { method, path }] of routes.entries()) {
    const target = `${base}${path}`
    const body = method === 'GET' ? {} : { body: '{"prompt":"x","workDir":"/project","text":"x"}' }
    const json = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const kinds = {
      simple: () =>
        read(
          fetch(target, {
            method: method === 'GET' ? 'GET' : 'POST',
            mode: 'no-cors',
            credentials: 'include',
            ...body,
          }),
        ),
      json: () => read(fetch(target, { method, credentials: 'include', headers: json, ...body })),
      form: () => sentForm(method, target),
      img: () => loaded('img', target),
      script: () => loaded('script', target),
      iframe: () => loaded('iframe', target),
      eventSource: () => streamed(target),
      beacon: async () => {
        navigator.sendBeacon(target, '{"prompt":"x","workDir":"/project","text":"x"}')
        return 'nothing'
      },
    }
    const outcomes = await Promise.all(
      Object.entries(kinds)
        .filter((_, kind) => isMine(route, kind + 1))
        .map(async ([kind, attempt]) => ({
          kind,
          target: `${method} ${path}`,
          outcome: await within(attempt()),
        })),
    )
    attempts.push(...outcomes)
  }
  return [...attempts, ...(await Promise.all(sockets))]
}

globalThis.attack = attack
