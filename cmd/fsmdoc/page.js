'use strict';
// What is chosen lives in the address after #, so that it can be shared and
// survives a reload. Each change goes through choose, and show follows it.
(() => {
  const all = (root, query) => Array.from(root.querySelectorAll(query));
  const sections = all(document, 'main > section');
  const first = sections[0].id;
  const stacked = matchMedia('(max-width:1100px)'); // the rows stand below the matrix
  const texts = new WeakMap(); // what a row says, for the search
  let chosen = {};

  function choose(change) {
    chosen = {...chosen, ...change};
    const words = new URLSearchParams();
    for (const [key, value] of Object.entries(chosen)) if (value) words.set(key, value);
    history.replaceState(null, '', '#' + words);
    show();
  }

  // pick chooses cells, and drops what else was picked; picking the same again
  // shows all.
  function pick(change) {
    const fresh = {state: '', fact: '', to: '', row: '', step: '', ...change};
    const same = ['state', 'fact', 'to', 'step'].every(key => (chosen[key] || '') === fresh[key]);
    choose(same ? {state: '', fact: '', to: '', row: '', step: ''} : fresh);
  }

  function show() {
    const name = sections.some(s => s.id === chosen.machine) ? chosen.machine : first;
    for (const s of sections) s.hidden = s.id !== name;
    for (const b of all(document, '[data-tab]')) b.toggleAttribute('aria-current', b.dataset.tab === name);
    const section = document.getElementById(name);
    showRows(section);
    if (section.dataset.initial === undefined) return;
    showChoice(section);
    showPath(section);
    showPicture(section);
  }

  function textOf(row) {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  }

  function showRows(section) {
    const words = (chosen.text || '').toLowerCase().split(/\s+/).filter(Boolean);
    const search = section.querySelector('input[type=search]');
    if (search !== document.activeElement) search.value = chosen.text || '';
    const hide = section.querySelector('input[type=checkbox]');
    if (hide) hide.checked = !!chosen.hide;
    const rows = all(section, section.id === 'sentences' ? '.sentences tbody tr' : '.rows tbody tr');
    let shown = 0;
    for (const row of rows) {
      const d = row.dataset;
      const fits = words.every(w => textOf(row).includes(w))
        && (!hide || !hide.checked || !row.classList.contains('ignored') || d.state === undefined)
        && (chosen.row && d.row ? d.row === chosen.row
          : [['state', d.state], ['fact', d.fact], ['to', d.to]].every(([key, value]) => value === undefined || !chosen[key] || chosen[key] === value));
      row.hidden = !fits;
      shown += fits;
    }
    section.querySelector('.count').textContent = `${shown} / ${rows.length} 行 rows`;
  }

  function showChoice(section) {
    const {state, fact, to, step} = chosen;
    const parts = [step && `第 ${step} 步 step ${step}`, state && to && !step ? `${state} → ${to}` : state, fact];
    section.querySelector('.choice').textContent = parts.filter(Boolean).join(' · ');
    section.querySelector('.clear').hidden = !(state || fact || to || chosen.text || step);
    for (const b of all(section, '.matrix button')) {
      const d = b.dataset;
      b.classList.toggle('on', (!d.state || d.state === state) && (!d.fact || d.fact === fact));
    }
    for (const p of all(section, '.meaning p')) {
      p.hidden = !(p.dataset.state ? p.dataset.state === state : p.dataset.fact === fact);
    }
  }

  function showPicture(section) {
    const {state, fact, to} = chosen;
    for (const edge of all(section, '.picture .edge')) {
      const d = edge.dataset;
      const on = (state || fact) && (!state || d.from === state) && (!to || d.to === to)
        && (!fact || d.facts.split(' ').includes(fact));
      edge.classList.toggle('on', !!on);
      edge.classList.toggle('dim', !!(state || fact) && !on);
    }
    for (const node of all(section, '.picture .node')) {
      node.classList.toggle('on', node.dataset.state === state || node.dataset.state === to);
    }
  }

  function showPath(section) {
    const tracks = all(section, '.track');
    if (!tracks.length) return;
    const name = tracks.some(t => t.dataset.track === chosen.track) ? chosen.track : tracks[0].dataset.track;
    const select = section.querySelector('.path select');
    if (select) select.value = name;
    for (const t of tracks) {
      t.hidden = t.dataset.track !== name;
      for (const s of all(t, '[data-step]')) s.classList.toggle('on', !t.hidden && s.dataset.step === chosen.step);
      if (!t.hidden) {
        drawBadges(section, t);
        for (const s of all(t, '[data-step].on')) reveal(s);
      }
    }
  }

  // reveal scrolls the box around a step, and nothing else.
  function reveal(step) {
    const box = step.closest('.scroll, .steps'), at = step.getBoundingClientRect(), seen = box.getBoundingClientRect();
    if (at.left < seen.left || at.right > seen.right) box.scrollLeft += at.left - seen.left - seen.width / 2;
    if (at.top < seen.top || at.bottom > seen.bottom) box.scrollTop += at.top - seen.top - seen.height / 2;
  }

  // drawBadges marks the arrows that a track went along, and writes the numbers
  // of its steps at the corner of their labels, above all else in the picture.
  function drawBadges(section, track) {
    const picture = section.querySelector('.picture');
    if (picture.dataset.walked === track.dataset.track) return;
    picture.dataset.walked = track.dataset.track;
    picture.classList.add('walked');
    for (const old of all(picture, '.badge')) old.remove();
    const went = new Map();
    for (const step of all(track, '.steps li')) {
      const {from, to} = step.dataset, key = from + ' ' + to;
      if (from !== to) went.set(key, [...(went.get(key) || []), step.dataset.step]);
    }
    for (const edge of all(picture, '.edge')) {
      const label = edge.querySelector('rect'), steps = went.get(edge.dataset.from + ' ' + edge.dataset.to);
      edge.classList.toggle('went', !!steps);
      if (label && steps) picture.querySelector('svg').append(badgeOf(edge, label, steps));
    }
  }

  function badgeOf(edge, label, steps) {
    const numbers = steps.slice(0, 3).join(' ') + (steps.length > 3 ? ' …' : '');
    const width = numbers.length * 6 + 8, height = 13;
    const x = +label.getAttribute('x') + +label.getAttribute('width') - 7, y = label.getAttribute('y') - 8;
    const badge = draw('g', {class: 'edge badge went'});
    Object.assign(badge.dataset, edge.dataset);
    badge.append(draw('title', {}, steps.join(' ')), draw('rect', {x, y, width, height, rx: 6}),
      draw('text', {x: x + width / 2, y: y + 10}, numbers));
    return badge;
  }

  function draw(name, attributes, text = '') {
    const node = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.textContent = text;
    return node;
  }

  function pickStep(step) {
    const line = step.closest('.track').querySelector(`.steps [data-step="${CSS.escape(step.dataset.step)}"]`);
    const {from, to, fact, row} = line.dataset;
    pick({step: line.dataset.step, state: from, to, fact, row});
  }

  function walk(section, by) {
    const steps = all(section, '.track:not([hidden]) .steps li');
    const at = steps.findIndex(s => s.dataset.step === chosen.step);
    const next = at < 0 ? (by > 0 ? 0 : steps.length - 1) : at + by;
    if (steps[next]) pickStep(steps[next]);
  }

  document.addEventListener('click', event => {
    const hit = query => event.target.closest(query);
    const section = hit('section');
    let at;
    if ((at = hit('[data-tab]'))) choose({machine: at.dataset.tab, state: '', fact: '', to: '', row: '', step: '', text: ''});
    else if ((at = hit('[data-goto]'))) choose({machine: first, state: '', fact: at.dataset.goto, to: '', row: '', step: '', text: ''});
    else if (hit('.clear')) { section.querySelector('input[type=search]').value = ''; choose({state: '', fact: '', to: '', row: '', step: '', text: ''}); }
    else if ((at = hit('[data-walk]'))) walk(section, +at.dataset.walk);
    else if ((at = hit('[data-step]'))) pickStep(at);
    else if ((at = hit('.picture .edge'))) pick({state: at.dataset.from, to: at.dataset.to});
    else if ((at = hit('.picture .node'))) pick({state: at.dataset.state});
    else if ((at = hit('.matrix button'))) {
      pick({state: at.dataset.state || '', fact: at.dataset.fact || ''});
      if (stacked.matches) section.querySelector('.rows').scrollIntoView();
    }
    else if ((at = hit('.rows .state, .rows strong'))) pick({state: at.textContent});
    else if ((at = hit('.rows td:first-child code'))) pick({fact: at.textContent});
  });
  document.addEventListener('keydown', event => {
    const step = event.target.closest('.timeline [data-step]');
    if (step && (event.key === 'Enter' || event.key === ' ')) { event.preventDefault(); pickStep(step); }
  });
  document.addEventListener('input', event => {
    if (event.target.type === 'search') choose({text: event.target.value});
    if (event.target.type === 'checkbox') choose({hide: event.target.checked ? '1' : ''});
    if (event.target.matches('.path select')) choose({track: event.target.value, step: '', row: '', state: '', to: '', fact: ''});
  });
  // explain gives each name in the rows its meaning as a title.
  function explain() {
    for (const section of sections) {
      const meaning = new Map(all(section, '.glossary dt').map(dt => [dt.textContent, dt.nextElementSibling.textContent]));
      for (const code of all(section, '.rows code')) if (meaning.has(code.textContent)) code.title = meaning.get(code.textContent);
    }
  }

  function read() {
    chosen = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    show();
  }
  addEventListener('hashchange', read);
  explain();
  read();
})();
