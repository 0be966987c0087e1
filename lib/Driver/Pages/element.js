// Appends an element with a text to another one; used by all scripts of a page.
'use strict';
function element(tag, text, parent, className) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className)
    made.className = className;
  parent.append(made);
  return made;
}
